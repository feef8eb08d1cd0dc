// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

namespace sparkprof {

// When tasks ran by the JVM's word, CLOCK_MONOTONIC ns, to tag what their Python workers did before they knew the task.
class TaskTimes {
 public:
  void Begin(int64_t task, int64_t monotonic_ns) { times_[task] = {monotonic_ns, INT64_MAX}; }
  void End(int64_t task, int64_t monotonic_ns) {
    if (const auto found = times_.find(task); found != times_.end()) found->second.end_ns = monotonic_ns;
  }

  bool Contains(int64_t task, int64_t monotonic_ns) const {
    const auto found = times_.find(task);
    return found != times_.end() && found->second.begin_ns <= monotonic_ns && monotonic_ns < found->second.end_ns;
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
