// SPDX-License-Identifier: Apache-2.0
#include "join/task_join.h"

#include <algorithm>

#include "base/time.h"

namespace sparkprof {

void TaskJoin::Append(Intervals* intervals, const Interval& interval) {
  intervals->push_back(interval);
  ++size_;
  if (size_ <= kMaxIntervals) return;
  // A quarter at once, so that a full table does not search all threads with every task.
  for (int64_t age_ns = 128 * kNanosPerSecond; size_ > kMaxIntervals / 4 * 3 && age_ns > 0; age_ns /= 2) {
    Forget(last_ns_ - age_ns);
  }
}

void TaskJoin::Begin(int64_t tid, int64_t task, int64_t monotonic_ns) {
  last_ns_ = std::max(last_ns_, monotonic_ns);
  Intervals& intervals = threads_[tid];
  if (!intervals.empty()) {
    Interval& last = intervals.back();
    if (last.end_ns == kOpen) last.end_ns = std::max(last.begin_ns, monotonic_ns);
    monotonic_ns = std::max(monotonic_ns, last.end_ns);
  }
  Append(&intervals, {task, monotonic_ns, kOpen});
}

void TaskJoin::End(int64_t tid, int64_t task, int64_t monotonic_ns) {
  last_ns_ = std::max(last_ns_, monotonic_ns);
  Intervals& intervals = threads_[tid];
  if (!intervals.empty()) {
    Interval& last = intervals.back();
    if (last.task == task && last.end_ns == kOpen) {
      last.end_ns = std::max(last.begin_ns, monotonic_ns);
      return;
    }
    // The open task ended and `task` started at unknown times in between, so neither gets the samples.
    if (last.end_ns == kOpen) last.end_ns = last.begin_ns;
    monotonic_ns = std::max(monotonic_ns, last.end_ns);
  }
  Append(&intervals, {task, monotonic_ns, monotonic_ns});
}

TaskJoin::Match TaskJoin::Find(int64_t tid, int64_t monotonic_ns, bool in_task_runner) const {
  const Match around{kNoTask, in_task_runner ? Category::kTaskRuntime : Category::kNone};
  const auto found = threads_.find(tid);
  if (found == threads_.end() || found->second.empty()) return around;
  const Intervals& intervals = found->second;
  const auto next = std::upper_bound(intervals.begin(), intervals.end(), monotonic_ns,
                                     [](int64_t time, const Interval& interval) { return time < interval.begin_ns; });
  if (next != intervals.begin() && monotonic_ns < std::prev(next)->end_ns) {
    return {std::prev(next)->task, Category::kTask};
  }
  if (!in_task_runner) return {kNoTask, Category::kIdlePool};
  if (next == intervals.begin()) return {next->task, Category::kTaskRuntime};
  const Interval& previous = *std::prev(next);
  if (next == intervals.end()) return {previous.task, Category::kTaskRuntime};
  const bool follows = next->begin_ns - monotonic_ns <= monotonic_ns - previous.end_ns;
  return {follows ? next->task : previous.task, Category::kTaskRuntime};
}

void TaskJoin::Forget(int64_t monotonic_ns) {
  for (auto thread = threads_.begin(); thread != threads_.end();) {
    Intervals& intervals = thread->second;
    while (!intervals.empty() && intervals.front().end_ns < monotonic_ns) {
      intervals.pop_front();
      --size_;
    }
    thread = intervals.empty() ? threads_.erase(thread) : std::next(thread);
  }
}

bool TaskRunnerFinder::Contains(StackId stack) {
  while (known_.size() <= stack) {
    const StackTable::Node& node = stacks_->Get(static_cast<StackId>(known_.size()));
    known_.push_back(known_[node.parent] || strings_->Get(frames_->Get(node.frame).name) ==
                                                "org.apache.spark.executor.Executor$TaskRunner.run");
  }
  return known_[stack];
}

}  // namespace sparkprof
