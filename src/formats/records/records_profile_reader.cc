// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "base/io/line_reader.h"
#include "base/time.h"
#include "formats/readers.h"
#include "formats/record_reader.h"
#include "model/samples/stack_tables.h"

namespace sparkprof {

// The stacks in records of Uber's jvm-profiler, the PySpark profilers and babar (formats/records), between any other
// lines. Event "samples". Input without stacks is not a profile.
Result<void> ReadRecordsProfile(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  ProfilerRecords records;
  RecordReadOptions options{.series = false};
  options.stack_windows = builder->options().keep_threads || builder->options().bucket_ns != 0;
  RecordReader reader(&records, options);
  LineReader lines(std::move(source));
  for (std::string_view block = lines.Next(); !block.empty(); block = lines.Next()) reader.AddLines(block);
  reader.Finish();
  if (lines.SourceError()) {
    if (Result<void> kept = builder->Damaged(lines.SourceError()->message); !kept) return kept;
  }
  if (records.damaged_lines > 0) {
    Result<void> kept = builder->Damaged(fmt::format("line {}: truncated or damaged record ({} in total)",
                                                     reader.FirstDamagedLine(), records.damaged_lines));
    if (!kept) return kept;
  }
  if (records.stack_counts.empty()) {
    return builder->Damaged(
        fmt::format("line 1: expected stack records, found {} records without stacks", records.RecordCount()));
  }
  const EventId event = builder->AddEvent("samples", "count");
  StackCopier stacks(records, &builder->profile());
  for (const RecordStack& record : records.stack_counts) {
    Sample sample{.stack = stacks.Copy(record.stack), .event = event};
    sample.weight = record.count;
    sample.count = record.count;
    if (record.start_ms > 0 && record.start_ms < INT64_MAX / kNanosPerMilli) {
      sample.time_ns = record.start_ms * kNanosPerMilli;
    }
    const RecordProcess& process = records.processes[record.process];
    sample.thread =
        builder->AddThread({.process = process.pid, .name = std::string(records.strings.Get(record.thread))});
    builder->Add(sample);
  }
  return {};
}

bool LooksLikeRecords(std::string_view head) {
  for (const std::string_view mark : {"BABAR\t", "\"stacktrace\"", "StacktraceReporter", "Stacktrace: {"}) {
    if (head.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace sparkprof
