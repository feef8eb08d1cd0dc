// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "formats/records/profiler_records.h"
#include "formats/records/record_builder.h"

namespace sparkprof {

// Finds records in lines of any kind and adds them to `records`: files of Uber's jvm-profiler (all seven profilers),
// output of its console reporter between other lines (`ConsoleOutputReporter - CpuAndMemory: {…}` with any prefix),
// cpu/mem and stack records of the PySpark profilers, babar.log, in any mixture. Other lines are skipped; a truncated
// or damaged record is counted. Not thread-safe.
class RecordReader {
 public:
  explicit RecordReader(ProfilerRecords* records, RecordReadOptions options = {});
  ~RecordReader();
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  // Complete lines. A line does not continue in the next call.
  void AddLines(std::string_view lines);

  // Sorts points by time. Call once, at the end.
  void Finish();

  // The number of the first line that was damaged, of all texts; 0 = none was.
  int64_t FirstDamagedLine() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sparkprof
