// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/storage.h"

namespace sparkprof {

// Lines that all nodes on a store read in the same order: owners and viewers of applications, removals, and small
// files. STORE/changes/N has the lines of the Nth append. An append creates the next object and fails if another node
// was first, so each append is based on all earlier ones. STORE/bundles/N has the objects of kChangesInBundle appends,
// for starting nodes. Thread-safe.
class SharedLog {
 public:
  static constexpr uint64_t kChangesInBundle = 500;

  // Called with the number and the lines of each append in order, including this node's own. Must not call the log.
  using OnLines = std::function<void(uint64_t number, std::string_view lines)>;

  // `node`: a unique name. `storage` must outlive the log.
  SharedLog(Storage* storage, std::string node) : storage_(storage), node_(std::move(node)) {}

  // Call before the functions below.
  void SetListener(OnLines on_lines) { on_lines_ = std::move(on_lines); }

  // Number of appends passed to the listener.
  uint64_t Position() const;

  // Reads appends of other nodes.
  Result<void> Read();

  // Appends lines, each with a line end. Returns false and appends nothing if the log is longer than `position`; the
  // listener then has the lines of others. Otherwise the lines are durable and passed to the listener on return. After
  // an error, they may still appear.
  Result<bool> Append(std::string_view lines, uint64_t position);
  // Appends lines that do not depend on others.
  Result<void> Append(std::string_view lines);

 private:
  std::string NameOf(uint64_t number) const;
  std::string BundleAfter(uint64_t position) const;
  Result<void> ReadLocked();
  Result<bool> ReadBundle();
  void Apply(std::string_view content);

  Storage* const storage_;
  const std::string node_;
  OnLines on_lines_;
  std::mutex using_;  // held during requests to the storage
  uint64_t appends_ = 0;
  std::string bundle_;        // objects since the last bundle, each after its size
  mutable std::mutex mutex_;  // guards position_
  uint64_t position_ = 0;
};

}  // namespace sparkprof
