// SPDX-License-Identifier: Apache-2.0
#include "capture/new_processes.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sparkprof {
namespace {

constexpr int kCallsBetweenFullListings = 64;

}  // namespace

NewProcesses::NewProcesses(const ProcFolder& proc) : loadavg_(proc.Open("loadavg")) {}

const std::vector<int64_t>& NewProcesses::Find(const ProcFolder& proc) {
  new_.clear();
  if (!MayHaveNew()) return new_;
  proc.ListProcessIds(&ids_);
  std::set_difference(ids_.begin(), ids_.end(), seen_.begin(), seen_.end(), std::back_inserter(new_));
  seen_.swap(ids_);
  return new_;
}

void NewProcesses::Forget(int64_t pid) {
  const auto seen = std::lower_bound(seen_.begin(), seen_.end(), pid);
  if (seen != seen_.end() && *seen == pid) seen_.erase(seen);
}

// The kernel assigns an ID shortly before it lists the process, so after a new ID the next call lists processes again.
bool NewProcesses::MayHaveNew() {
  const bool is_full_listing = calls_++ % kCallsBetweenFullListings == 0;
  if (is_full_listing) seen_.clear();
  const int64_t newest = NewestId(loadavg_);
  const bool is_known = newest >= 0 && newest == newest_[0] && newest == newest_[1];
  newest_[1] = std::exchange(newest_[0], newest);
  return is_full_listing || !is_known;
}

}  // namespace sparkprof
