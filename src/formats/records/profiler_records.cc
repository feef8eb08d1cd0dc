// SPDX-License-Identifier: Apache-2.0
#include "formats/records/profiler_records.h"

#include <algorithm>
#include <numeric>

namespace sparkprof {

std::string_view RecordProfilerName(RecordProfiler profiler) {
  constexpr std::string_view kNames[kRecordProfilerCount] = {"JVMProfiler", "PySparkPhilProfiler", "babar"};
  return kNames[static_cast<size_t>(profiler)];
}

int64_t ProfilerRecords::RecordCount() const { return std::accumulate(records.begin(), records.end(), int64_t{0}); }

void ProfilerRecords::SortPoints() {
  const auto earlier = [](const SeriesPoint& a, const SeriesPoint& b) { return a.time_ns < b.time_ns; };
  for (RecordSeries& one : series) {
    if (!std::is_sorted(one.points.begin(), one.points.end(), earlier)) {
      std::stable_sort(one.points.begin(), one.points.end(), earlier);
    }
  }
}

std::string RecordFrameText(const StringTable& strings, const Frame& frame) {
  std::string text;
  if (frame.file != 0) text.append(strings.Get(frame.file)).append(":");
  text.append(strings.Get(frame.name));
  if (frame.line != 0) text.append(":").append(std::to_string(frame.line));
  return text;
}

double NormalizedValue(RecordUnit unit, double value) {
  switch (unit) {
    case RecordUnit::kBytes:
      return value / 1048576;
    case RecordUnit::kMillis:
      return value / 60'000;
    case RecordUnit::kNanos:
      return value / 60e9;
    case RecordUnit::kNone:
      break;
  }
  return value;
}

std::string_view UnitName(RecordUnit unit, bool normalized) {
  switch (unit) {
    case RecordUnit::kBytes:
      return normalized ? "MiB" : "bytes";
    case RecordUnit::kMillis:
      return normalized ? "minutes" : "ms";
    case RecordUnit::kNanos:
      return normalized ? "minutes" : "ns";
    case RecordUnit::kNone:
      break;
  }
  return "";
}

}  // namespace sparkprof
