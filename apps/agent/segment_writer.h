// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/class_histogram/class_histogram.h"
#include "model/clocks.h"
#include "model/event_redaction.h"
#include "model/own_redaction.h"
#include "model/segment.h"
#include "model/stack_tables.h"

namespace sparkprof {

// The samples of one JFR chunk with the tables that their ids point into.
struct SampleBatch : StackTables {
  std::vector<Thread> threads;
  SampleTable<SegmentSample> samples;
};

// Collects rows and converts them to blocks of at most about 8 MiB of segment each. The owner decides when (Flush),
// except for a segment that grows too large. Not thread-safe.
class SegmentWriter {
 public:
  // `on_block` receives each block; `last` is true for the last one, see FlushLast.
  using OnBlock = std::function<void(const std::string& block, bool last)>;
  explicit SegmentWriter(OnBlock on_block) : on_block_(std::move(on_block)) {}

  // The expressions of what the application itself calls a secret in its events. Call before AddSparkEvent.
  void SetOwnRedaction(OwnRedaction own) { events_ = EventRedactor(std::move(own)); }

  Source& source() { return source_; }
  const Source& source() const { return source_; }

  // The start and the end of a task become one row if they are in the same segment.
  void AddTaskInterval(const TaskInterval& interval);
  // Takes its secrets out first.
  void AddSparkEvent(std::string_view event);
  void AddNotice(NoticeLevel level, std::string text);
  void AddPoint(std::string_view series, SeriesKind kind, int64_t pid, int64_t start_ticks, SeriesPoint point);
  void AddProcess(const Process& process);
  void AddSamples(SampleBatch&& batch);
  void AddSetting(std::string name, std::string value);
  void AddPythonTask(const PythonTask& task);
  // Keeps the largest classes and the sum of the others.
  void AddHeapSummary(int64_t time_ns, int64_t pause_ns, const ClassHistogram& histogram);
  // Ignores a function that was already added for the task.
  void AddUdf(const Udf& udf);
  // `total` so far, not the difference; written again only if it changed.
  void SetLoss(const std::string& what, const std::string& reason, int64_t total);

  // CLOCK_MONOTONIC of the oldest thing that should not wait for long (tasks, events, notices, samples); 0 = none.
  int64_t UrgentSince() const { return urgent_since_ns_; }
  // The same for everything else (series, processes).
  int64_t PendingSince() const { return pending_since_ns_; }

  // Writes what is pending, if anything is.
  void Flush();
  // The last block of this source, `in_order` if its JVM ended as it should.
  void FlushLast(bool in_order);

 private:
  void Grow(size_t bytes, bool urgent);
  void Write(bool last);
  uint32_t ThreadPosition(const Thread& thread, const StringTable& strings);

  OnBlock on_block_;
  EventRedactor events_;
  Source source_;
  Segment segment_;
  size_t size_ = 0;  // estimate of the message's bytes
  int64_t urgent_since_ns_ = 0;
  int64_t pending_since_ns_ = 0;
  std::unordered_map<int64_t, size_t> open_rows_;  // task → row of this segment's intervals without an end
  std::map<std::pair<std::string, int64_t>, size_t> series_rows_;  // name and pid → row of this segment's series
  std::map<std::pair<int64_t, int64_t>, uint32_t> thread_rows_;    // by process and thread
  std::map<std::pair<std::string, std::string>, int64_t> losses_;  // last written
};

}  // namespace sparkprof
