// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "formats/jfr/jfr_chunk_header.h"
#include "formats/jfr/jfr_reader.h"
#include "join/task_join.h"
#include "python_activity.h"
#include "segment_writer.h"

namespace sparkprof {

// The profiler's settings; events do not contain them.
struct SampleWeights {
  int64_t cpu_interval_ns = 0;
  int64_t wall_interval_ns = 0;
};

// Converts the samples of a chunk to rows: attributed to tasks, bucketed, weighted.
//     cpu, wall   weight = samples * interval, unless the event has its own
//     alloc, live weight of the event (bytes); the class is the leaf, a synthetic frame
//     locks       weight = time waited; the monitor's class is the leaf; belongs to the task in which the wait ends
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

 private:
  int64_t MonotonicStart(const JfrSample& sample) const;
  int64_t Weight(const JfrSample& sample) const;
  void AddRow(const JfrSample& sample, int64_t monotonic_ns, TaskJoin::Match match, StackId stack, int64_t weight,
              int64_t count);
  void AddSpread(const JfrSample& sample, int64_t monotonic_ns, bool in_task_runner, StackId stack);
  std::optional<int64_t> TaskOfHelper(const JfrSample& sample);
  StackId WithType(const JfrSample& sample);
  uint32_t ThreadPosition(const JfrSample& sample);

  const JfrChunkHeader header_;
  const int64_t epoch_offset_ns_;  // epoch - monotonic
  const int64_t bucket_ns_;
  const SampleWeights weights_;
  const TaskJoin& join_;
  const PythonActivity& python_;
  SampleBatch* batch_;
  TaskRunnerFinder task_runner_;
  std::unordered_map<int64_t, uint32_t> thread_rows_;
  std::unordered_map<StringId, std::optional<int64_t>> helpers_;  // by the thread's name
  std::vector<JfrHeapSummary> heap_summaries_;
};

}  // namespace sparkprof
