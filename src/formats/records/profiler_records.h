// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/samples/stack_tables.h"
#include "model/segment/segment.h"

namespace sparkprof {

// The records of all supported profilers: Uber's jvm-profiler, the PySpark profilers of Phil's Stopwatch, babar. Filled
// by RecordReader.

// Names are those of Phil's Stopwatch; "babar" is ours.
enum class RecordProfiler : uint8_t { kJvm = 0, kPySpark = 1, kBabar = 2 };
inline constexpr size_t kRecordProfilerCount = 3;
std::string_view RecordProfilerName(RecordProfiler profiler);  // "JVMProfiler", "PySparkPhilProfiler", "babar"

enum class RecordKind : uint8_t {
  kCpuAndMemory,
  kStacktrace,
  kProcessInfo,
  kIo,
  kThreadInfo,
  kMethodDuration,
  kMethodArgument,
  kPySparkCpuMemory,
  kPySparkStack,
  kBabarMetric,
  kBabarTrace,
};
inline constexpr size_t kRecordKindCount = static_cast<size_t>(RecordKind::kBabarTrace) + 1;

struct RecordProcess {
  RecordProfiler profiler = RecordProfiler::kJvm;
  std::string key;   // identifies a process of a profiler: UUID, PID, or babar's container
  std::string name;  // "8465@host", a PySpark worker's pid, babar's container
  int64_t pid = 0;   // 0 = unknown
  std::string host;
  std::string application_id;
  std::string role;  // "driver", "executor" or empty
  std::string tag;
  std::string cluster;
  std::string command_line;   // as recorded, secrets included: redact before it is shown or stored
  std::string jvm_arguments;  // likewise
  std::string class_path;
  std::string agent_version;
  int64_t xmx_bytes = 0;  // 0 = unknown
  int64_t first_ms = 0;   // epoch times of its first and last record, 0 = none has a time
  int64_t last_ms = 0;
};

enum class RecordUnit : uint8_t { kNone, kBytes, kMillis, kNanos };

// The identity of one curve.
struct RecordMetric {
  std::string name;  // as the profiler calls it: "heapMemoryTotalUsed", "memoryPools-G1EdenSpace-usageUsed", …
  RecordUnit unit = RecordUnit::kNone;
  SeriesKind kind = SeriesKind::kGauge;
  std::string series;       // its name in a recording, docs/series.md
  double series_scale = 1;  // a point's value times this is the series' value
  bool is_standard = true;  // false: not in Phil's Stopwatch
};

struct RecordSeries {
  uint32_t process = 0;  // row of processes
  RecordMetric metric;
  std::vector<SeriesPoint> points;  // values as recorded; in order of records until SortPoints
};

struct RecordStack {
  uint32_t process = 0;
  StringId thread = 0;  // name
  StringId state = 0;   // Java's: "RUNNABLE", "WAITING", …
  StringId rdd = 0;     // PySpark: "8_id"
  StackId stack = 0;
  int64_t start_ms = 0;  // start of the report window; 0 = the record has no time
  int64_t end_ms = 0;
  int64_t count = 0;
  double interval_ms = 0;  // PySpark: between two samples; 0 = the record lacks it
};

struct ProfilerRecords : StackTables {
  std::vector<RecordProcess> processes;
  std::vector<RecordSeries> series;
  std::vector<RecordStack> stack_counts;
  std::array<int64_t, kRecordKindCount> records{};
  int64_t damaged_lines = 0;   // look like records, but are truncated or invalid
  int64_t dropped_series = 0;  // points of metrics beyond the limit of RecordReadOptions

  int64_t Count(RecordKind kind) const { return records[static_cast<size_t>(kind)]; }
  int64_t RecordCount() const;
  void SortPoints();  // by time; points of the same time stay in their order
};

// A frame as its profiler wrote it: "java.lang.Object.wait", "job.py:slacking:18", "Load.main:7".
std::string RecordFrameText(const StringTable& strings, const Frame& frame);

// Phil's units: bytes as MiB, times as minutes.
double NormalizedValue(RecordUnit unit, double value);
std::string_view UnitName(RecordUnit unit, bool normalized);  // "MiB", "bytes", "minutes", "ms", "ns" or ""

}  // namespace sparkprof
