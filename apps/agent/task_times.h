// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace sparkprof {

// Run times of tasks according to the JVM (CLOCK_MONOTONIC, ns), for tagging what Python workers did before they
// received the task.
class TaskTimes {
 public:
  void Begin(int64_t task, int64_t monotonic_ns) { times_[task] = {monotonic_ns, INT64_MAX}; }
  void End(int64_t task, int64_t monotonic_ns) {
    if (const auto found = times_.find(task); found != times_.end()) found->second.end_ns = monotonic_ns;
  }

  // The task's run time so far at `monotonic_ns`; nullopt if it was not running.
  std::optional<int64_t> Age(int64_t task, int64_t monotonic_ns) const {
    const auto found = times_.find(task);
    if (found == times_.end()) return std::nullopt;
    const auto& [begin_ns, end_ns] = found->second;
    if (monotonic_ns < begin_ns || monotonic_ns >= end_ns) return std::nullopt;
    return monotonic_ns - begin_ns;
  }

  // The task running at that time, if it was the only one.
  std::optional<int64_t> Only(int64_t monotonic_ns) const {
    std::optional<int64_t> only;
    for (const auto& [task, times] : times_) {
      if (monotonic_ns < times.begin_ns || monotonic_ns >= times.end_ns) continue;
      if (only) return std::nullopt;
      only = task;
    }
    return only;
  }

  void Forget(int64_t before_ns) {
    std::erase_if(times_, [&](const auto& task) { return task.second.end_ns < before_ns; });
  }

 private:
  struct Times {
    int64_t begin_ns;
    int64_t end_ns;
  };
  std::unordered_map<int64_t, Times> times_;
};

}  // namespace sparkprof
