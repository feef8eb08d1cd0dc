// SPDX-License-Identifier: Apache-2.0
// Any bytes as lines with profiler records of every kind (a seed for each): nothing but the tables may come of it, and
// they must fit together, whatever is kept of the records.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "formats/record_reader.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void Read(std::string_view lines, sparkprof::RecordReadOptions options) {
  sparkprof::ProfilerRecords records;
  sparkprof::RecordReader reader(&records, options);
  reader.AddLines(lines);
  reader.Finish();
  for (const sparkprof::RecordSeries& series : records.series) {
    Require(series.process < records.processes.size());
    Require(!series.points.empty() && !series.metric.name.empty() && !series.metric.series.empty());
  }
  for (const sparkprof::RecordStack& row : records.stack_counts) {
    Require(row.process < records.processes.size() && row.stack < records.stacks.Size() && row.count >= 0);
    Require(row.thread < records.strings.Size() && row.rdd < records.strings.Size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view lines(reinterpret_cast<const char*>(data), size);
  // Both take twice the time.
  if (size % 2 == 0) {
    Read(lines, {});
  } else {
    Read(lines, {.details = false, .stack_windows = false});
  }
  return 0;
}
