// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "model/sample.h"
#include "model/stack_table.h"
#include "model/string_table.h"

namespace sparkprof {

// Which task a sample belongs to, by (OS thread id, CLOCK_MONOTONIC in ns). Thread names are never used. Each thread
// has its task intervals [begin, end) in order of time; a task without an end is open and holds everything after its
// begin.
//
// A sample outside every interval, on a thread that has any:
//   - with Executor$TaskRunner.run in its stack it is Spark's own work around a task (kTaskRuntime). It goes to the
//     interval that is nearest in time, among the one that ended last before it and the one that begins first after it;
//     when both are equally far, to the one that begins after it.
//   - without that frame the thread waits for work (kIdlePool, no task).
// On a thread that has no interval: kTaskRuntime without a task if the frame is there (its first task has not begun
// yet), else kNone.
//
// Missing records: a begin on a thread whose task is still open ends that task there. An end without its begin counts
// as a moment: no sample is inside it, but runtime samples may be nearest to it. Times that run backwards on one thread
// are moved up to the last time seen there, so intervals never overlap. Not thread-safe.
class TaskJoin {
 public:
  struct Match {
    int64_t task = kNoTask;
    Category category = Category::kNone;
  };

  void Begin(int64_t tid, int64_t task, int64_t monotonic_ns);
  void End(int64_t tid, int64_t task, int64_t monotonic_ns);

  Match Find(int64_t tid, int64_t monotonic_ns, bool in_task_runner) const;

  // Drops the intervals that ended before `monotonic_ns`; open ones stay. A thread without intervals is forgotten: an
  // idle thread of Spark's pool ends after 60 s, then its id may come back as another thread.
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
  int64_t last_ns_ = 0;  // of all records
};

// Says for the stacks of one table whether they contain Spark's TaskRunner.run. Looks at each stack once, however many
// samples refer to it; tables may grow meanwhile.
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
