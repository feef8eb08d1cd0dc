// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <shared_mutex>
#include <string>
#include <utility>

#include "base/result.h"
#include "catalogue/duckdb/duckdb_session.h"
#include "catalogue/stack_dictionary.h"

namespace sparkprof {

// Numbers of groups, events, frames and stacks, in memory for all readers and writers. `mutex` guards the maps and the
// stacks; only the writer may use the other members, Load and Append.
class DuckdbDictionaries {
 public:
  using EventKey = std::pair<std::string, std::string>;  // name and unit

  explicit DuckdbDictionaries(size_t max_stacks) : stacks(max_stacks), max_stacks_(max_stacks) {}

  // Fails if the tables are damaged.
  Result<void> Load(DuckdbConnection* connection);
  // Adds rows that are new since the last commit.
  Result<void> Append(DuckdbConnection* connection) const;
  // Call after the commit.
  void SetStored();

  // Returns the number of a group or event, a new one if necessary.
  int32_t Group(const std::string& name);
  int32_t Event(const EventKey& event);

  std::shared_mutex mutex;
  std::map<std::string, int32_t, std::less<>> groups;
  std::map<EventKey, int32_t> events;
  StackDictionary stacks;

 private:
  Result<void> LoadStacks(DuckdbConnection* connection);

  const size_t max_stacks_;
  // Number of rows in committed transactions.
  size_t stored_groups_ = 0;
  size_t stored_events_ = 0;
  size_t stored_frames_ = 1;
  size_t stored_stacks_ = 1;
};

}  // namespace sparkprof
