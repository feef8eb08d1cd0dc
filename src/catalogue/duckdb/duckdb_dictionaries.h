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

// The numbers of groups, events, frames and stacks, and what each of them is. In memory, as all writers and readers
// need them. `mutex` guards the maps and the stacks; the other members, and Load and Append, are the writer's.
class DuckdbDictionaries {
 public:
  using EventKey = std::pair<std::string, std::string>;  // name, unit

  explicit DuckdbDictionaries(size_t max_stacks) : stacks(max_stacks), max_stacks_(max_stacks) {}

  // Reads the tables. Fails if they are damaged.
  Result<void> Load(DuckdbConnection* connection);
  // Adds to the tables what is new since the last commit.
  Result<void> Append(DuckdbConnection* connection) const;
  // Call after the commit.
  void SetStored();

  // The number of a group or an event, a new one if need be.
  int32_t Group(const std::string& name);
  int32_t Event(const EventKey& event);

  std::shared_mutex mutex;
  std::map<std::string, int32_t, std::less<>> groups;
  std::map<EventKey, int32_t> events;
  StackDictionary stacks;

 private:
  Result<void> LoadStacks(DuckdbConnection* connection);

  const size_t max_stacks_;
  // Rows that a committed transaction has written.
  size_t stored_groups_ = 0;
  size_t stored_events_ = 0;
  size_t stored_frames_ = 1;
  size_t stored_stacks_ = 1;
};

}  // namespace sparkprof
