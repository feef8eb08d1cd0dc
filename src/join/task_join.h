// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "model/samples/sample.h"
#include "model/samples/stack_table.h"
#include "model/samples/string_table.h"

namespace sparkprof {

// Attributes samples to tasks by (OS thread ID, CLOCK_MONOTONIC in ns). Thread names are never used. Each thread has
// its task intervals [begin, end) in order of time; a task without an end is open and contains everything after its
// begin.
//
// A sample outside every interval, on a thread that has any:
//     - with Executor$TaskRunner.run in its stack is Spark's own work around a task (kTaskRuntime). It goes to the
//   nearest of the last interval before it and the first interval after it; if both are equally far, to the one after
//   it.
//     - without that frame, the thread waits for work (kIdlePool, no task).
// On a thread without intervals: kTaskRuntime without a task if the frame is there (its first task has not started),
// else kNone.
//
// Missing records: a begin on a thread with an open task ends that task. An end without a begin is an empty interval:
// no sample is inside it, but runtime samples may be nearest to it. Times that run backwards on a thread are moved up
// to its last time, so intervals never overlap. Not thread-safe.
class TaskJoin {
 public:
  struct Match {
    int64_t task = kNoTask;
    Category category = Category::kNone;
  };

  void Begin(int64_t tid, int64_t task, int64_t monotonic_ns);
  void End(int64_t tid, int64_t task, int64_t monotonic_ns);

  Match Find(int64_t tid, int64_t monotonic_ns, bool in_task_runner) const;

  // Drops the intervals that ended before `monotonic_ns`, except open ones. Forgets threads without intervals: an idle
  // thread of Spark's pool exits after 60 s, and its ID may be reused.
  void Forget(int64_t monotonic_ns);

  size_t Size() const { return size_; }

  // The oldest ended intervals are dropped when there would be more: 24 bytes each.
  static constexpr size_t kMaxIntervals = 100'000;

 private:
  struct Interval {
    int64_t task;
    int64_t begin_ns;
    int64_t end_ns;  // kOpen while the task runs
  };
  using Intervals = std::deque<Interval>;
  static constexpr int64_t kOpen = INT64_MAX;

  void Append(Intervals* intervals, const Interval& interval);

  std::unordered_map<int64_t, Intervals> threads_;
  size_t size_ = 0;
  int64_t last_ns_ = 0;  // latest time of all records
};

// Determines whether the stacks of a table contain Spark's TaskRunner.run, once per stack; tables may grow meanwhile.
class TaskRunnerFinder {
 public:
  TaskRunnerFinder(const StringTable* strings, const FrameTable* frames, const StackTable* stacks)
      : strings_(strings), frames_(frames), stacks_(stacks) {}

  bool Contains(StackId stack);

 private:
  const StringTable* strings_;
  const FrameTable* frames_;
  const StackTable* stacks_;
  std::vector<bool> known_{false};  // for each stack; a parent's id is smaller than its children's
};

}  // namespace sparkprof
