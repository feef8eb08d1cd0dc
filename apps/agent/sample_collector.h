// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "formats/jfr/jfr_chunk_header.h"
#include "formats/jfr/jfr_reader.h"
#include "join/task_join.h"
#include "native_memory.h"
#include "python_activity.h"
#include "sampling_budget.h"
#include "segment_writer.h"

namespace sparkprof {

// Weights of JVM TI's allocation samples (JDK 11 and later) that keep the total unbiased. HotSpot draws, for each
// thread, the bytes to its next sample from an exponential distribution whose mean is the sampling interval. An object
// of `size` bytes is thus sampled with the probability 1 - exp(-size / interval), and its weight is its size divided by
// that. The thread's last draw may predate the current interval. Source: threadHeapSampler.cpp of OpenJDK.
class AllocationWeights {
 public:
  void SetInterval(int64_t bytes) { interval_ = bytes; }

  // Returns the weight of one sample of a thread, in bytes.
  int64_t Weight(int64_t tid, int64_t size);

 private:
  int64_t interval_ = 0;
  std::unordered_map<int64_t, int64_t> drawn_;  // interval of the last draw by thread
};

// The profiler's settings, which events do not contain.
struct SampleWeights {
  int64_t cpu_interval_ns = 0;
  int64_t wall_interval_ns = 0;
  int64_t lock_interval_ns = 0;
  int64_t native_lock_interval_ns = 0;
  int64_t native_memory_interval_bytes = 0;
  // Null = use the event's own weight: before JDK 11, which samples TLABs.
  AllocationWeights* allocations = nullptr;
  // Null = releases are not recorded.
  NativeMemory* native_memory = nullptr;
};

// Converts the samples of a chunk to rows: attributed to tasks, bucketed, weighted.
//     cpu, wall   weight = samples * interval, unless the event has its own
//     alloc       see AllocationWeights; the class is the leaf, a synthetic frame
//     live        weight of the event (bytes); the class as for alloc
//     malloc      weight = size of the allocation, at least the interval
//     free        see NativeMemory
//     locks       weight = time waited, at least the interval: async-profiler takes the wait in which the sum of all
//                 waits passes a multiple of the interval, so a shorter wait is taken with the probability wait /
//                 interval. The monitor's class is the leaf; the wait belongs to the task in which it ends
// A batch of wall-clock samples on a task thread is spread evenly over its duration, with one row per time bucket and
// task. On other threads it counts at its start. Wall-clock samples of a task show the state of its Python worker. A
// helper thread of a task (named by HelperThreads in the plugin) works for the task, but its wall-clock time does not
// count for it.
class SampleCollector : public JfrHandler {
 public:
  SampleCollector(const JfrChunkHeader& header, const ClockAnchor& anchor, int64_t bucket_ns,
                  const SampleWeights& weights, const TaskJoin& join, const PythonActivity& python, SampleBatch* batch);

  void OnSample(const JfrSample& sample) override;
  void OnHeapSummary(const JfrHeapSummary& summary) override { heap_summaries_.push_back(summary); }

  const std::vector<JfrHeapSummary>& HeapSummaries() const { return heap_summaries_; }
  // CPU time that the JVM spent on the samples, in ns.
  const EventNumbers& CostNs() const { return cost_ns_; }

 private:
  int64_t MonotonicStart(const JfrSample& sample) const;
  int64_t Weight(const JfrSample& sample) const;
  void AddRow(const JfrSample& sample, int64_t monotonic_ns, TaskJoin::Match match, StackId stack, int64_t weight,
              int64_t count);
  void AddSpread(const JfrSample& sample, int64_t monotonic_ns, bool in_task_runner, StackId stack);
  void AddCost(const JfrSample& sample);
  int64_t Depth(StackId stack);
  std::optional<int64_t> TaskOfHelper(const JfrSample& sample);
  StackId WithType(const JfrSample& sample);
  uint32_t ThreadPosition(const JfrSample& sample);

  const JfrChunkHeader header_;
  const int64_t epoch_offset_ns_;  // epoch minus monotonic time
  const int64_t bucket_ns_;
  const SampleWeights weights_;
  const TaskJoin& join_;
  const PythonActivity& python_;
  SampleBatch* batch_;
  TaskRunnerFinder task_runner_;
  std::unordered_map<int64_t, uint32_t> thread_rows_;
  std::unordered_map<StringId, std::optional<int64_t>> helpers_;  // by thread name
  std::vector<JfrHeapSummary> heap_summaries_;
  EventNumbers cost_ns_{};
  std::vector<uint16_t> depths_;  // by stack
};

}  // namespace sparkprof
