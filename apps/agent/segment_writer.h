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
#include "model/redaction/event_redaction.h"
#include "model/redaction/own_redaction.h"
#include "model/samples/stack_tables.h"
#include "model/segment/segment.h"

namespace sparkprof {

// The samples of one JFR chunk with the tables that their IDs refer to.
struct SampleBatch : StackTables {
  std::vector<Thread> threads;
  SampleTable<SegmentSample> samples;
};

// Collects rows and converts them to blocks of at most about 8 MiB per segment. The owner decides when (Flush), except
// if a segment becomes too large. Not thread-safe.
class SegmentWriter {
 public:
  // `on_block` receives each block; `last` is true for the last one (FlushLast).
  using OnBlock = std::function<void(const std::string& block, bool last)>;
  explicit SegmentWriter(OnBlock on_block) : on_block_(std::move(on_block)) {}

  // Expressions of the application's own redaction settings. Call before AddSparkEvent.
  void SetOwnRedaction(OwnRedaction own) { events_ = EventRedactor(std::move(own)); }

  Source& source() { return source_; }
  const Source& source() const { return source_; }

  // Merges the start and end of a task if they are in the same segment.
  void AddTaskInterval(const TaskInterval& interval);
  // Redacts the event.
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
  // `total` so far, not the difference; written again only if it has changed.
  void SetLoss(const std::string& what, const std::string& reason, int64_t total);

  // CLOCK_MONOTONIC of the oldest urgent data (tasks, events, notices, samples); 0 = none.
  int64_t UrgentSince() const { return urgent_since_ns_; }
  // CLOCK_MONOTONIC of the oldest other data (series, processes); 0 = none.
  int64_t PendingSince() const { return pending_since_ns_; }

  void Flush();
  // Writes the last block of this source; `in_order` if its JVM ended normally.
  void FlushLast(bool in_order);

 private:
  void Grow(size_t bytes, bool urgent);
  void Write(bool last);
  uint32_t ThreadPosition(const Thread& thread, const StringTable& strings);

  OnBlock on_block_;
  EventRedactor events_;
  Source source_;
  Segment segment_;
  size_t size_ = 0;  // estimated size of the message
  int64_t urgent_since_ns_ = 0;
  int64_t pending_since_ns_ = 0;
  std::unordered_map<int64_t, size_t> open_rows_;  // row of this segment's intervals without an end, by task
  std::map<std::pair<std::string, int64_t>, size_t> series_rows_;  // row of this segment's series, by name and PID
  std::map<std::pair<int64_t, int64_t>, uint32_t> thread_rows_;    // by process and thread
  std::map<std::pair<std::string, std::string>, int64_t> losses_;  // last written
};

}  // namespace sparkprof
