// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/log_records.h"
#include "model/samples/heap_summary.h"
#include "model/samples/sample.h"
#include "model/samples/stack_table.h"
#include "model/samples/string_table.h"

namespace sparkprof {

// C++ equivalent of proto/sparkprof/v1/segment.proto, whose comments also apply here.

struct Source {
  std::string application_id;
  std::string application_attempt;
  std::string application_name;
  std::string executor_id;
  std::string host;
  std::string boot_id;
  int64_t pid = 0;
  int64_t start_ticks = 0;
  std::string spark_version;
  std::string java_version;
  std::string sparkprof_version;
  int64_t bucket_ns = 0;
  uint64_t sequence = 0;
  std::string role;

  // Segments with equal identities come from the same JVM and Spark context.
  std::string Identity() const;
};

struct ClockAnchor {
  int64_t monotonic_ns = 0;
  int64_t epoch_ns = 0;
};

struct Thread {
  int64_t tid = 0;
  StringId name = 0;
  int64_t pid = 0;  // 0 = the source's own process; otherwise the thread's samples are Python's
};

enum class TaskStatus : uint8_t { kRunning = 0, kSucceeded = 1, kFailed = 2, kUnknown = 3 };

struct TaskInterval {
  int64_t task = kNoTask;
  int64_t stage = -1;
  int64_t stage_attempt = 0;
  int64_t partition = -1;
  int64_t attempt = 0;
  int64_t tid = 0;
  int64_t sql_execution = -1;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  TaskStatus status = TaskStatus::kRunning;
};

enum class SeriesKind : uint8_t { kGauge = 0, kCounter = 1 };

struct SeriesPoint {
  int64_t time_ns = 0;
  double value = 0;
};

struct Series {
  std::string name;
  int64_t pid = 0;
  int64_t start_ticks = 0;
  SeriesKind kind = SeriesKind::kGauge;
  std::vector<SeriesPoint> points;
};

struct Process {
  int64_t pid = 0;
  int64_t start_ticks = 0;
  int64_t parent_pid = 0;
  std::string role;
  std::string command;
  int64_t first_seen_ns = 0;
  int64_t last_seen_ns = 0;
  int64_t started_ns = 0;
  bool ended = false;
  std::string user;
  std::string application_id;
  std::string executor_id;
  std::string container_id;
  std::string control_group;
  std::string name;
  std::string state;
};

struct Udf {
  int64_t task = kNoTask;
  int32_t eval_type = 0;
  std::string name;
  std::string file;
  int64_t line = 0;
};

struct PythonTask {
  int64_t task = kNoTask;
  int64_t pid = 0;
  int64_t start_ticks = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t cpu_ns = 0;
};

struct Neighbor {
  std::string host;
  std::vector<std::string> executor_ids;
  std::string application_id;
  std::string user;
  std::string name;
  int64_t processes = 0;
  double host_cores = 0;
  int64_t begin_ns = 0;
  int64_t step_ns = 0;
  std::vector<double> cpu_ns;
  std::vector<double> disk_bytes;
};

struct Loss {
  std::string what;
  std::string reason;
  int64_t count = 0;
};

enum class NoticeLevel : uint8_t { kInformation = 0, kWarning = 1, kError = 2 };

struct Notice {
  int64_t time_ns = 0;
  NoticeLevel level = NoticeLevel::kInformation;
  std::string text;
};

struct ProfilerSetting {
  std::string name;
  std::string value;
};

struct Column {
  std::string name;
  std::vector<int64_t> value;
};
// Whether the values of this column of the task table are string IDs.
inline bool IsColumnOfStrings(std::string_view name) { return name == "executor" || name == "reason"; }

struct Segment {
  Source source;
  std::vector<ClockAnchor> anchors;
  StringTable strings;
  FrameTable frames;
  StackTable stacks;
  std::vector<Thread> threads;
  std::vector<SegmentSample> samples;
  std::vector<TaskInterval> task_intervals;
  std::vector<std::string> spark_events;
  std::vector<Series> series;
  std::vector<Process> processes;
  std::vector<Loss> losses;
  std::vector<Notice> notices;
  std::vector<ProfilerSetting> settings;
  bool final = false;
  LogRecords logs;                   // `executor` contains string IDs, -1 = unknown
  std::vector<Column> task_columns;  // all of one length
  std::vector<Udf> udfs;
  std::vector<PythonTask> python_tasks;
  std::vector<HeapSummary> heap_summaries;
  std::vector<Neighbor> neighbors;
  // Checksum of the block that contained only this segment: a number alone identifies a segment only if its sender is
  // honest. 0 = unknown.
  uint64_t content = 0;
};

// Replaceable in tests.
using ClockReader = std::function<ClockAnchor()>;

// Reads both clocks as close together as possible within a few attempts.
ClockAnchor ReadClocks();

// Converts with the current clocks.
int64_t ToEpoch(int64_t monotonic_ns);

}  // namespace sparkprof
