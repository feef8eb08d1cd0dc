// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "formats/records/record_builder.h"
#include "input_options.h"

namespace sparkprof {

// The profiler records below files and folders, all together.
struct LoadedRecords {
  ProfilerRecords records;
  std::vector<std::string> notes;  // skipped data and the reasons
};

// Reads the records of jvm-profiler, of the PySpark profilers and of babar: files of their own or lines between other
// output, compressed or not. Fails when a path cannot be read, or when nothing but errors came of it all.
Result<LoadedRecords> LoadRecords(const std::vector<std::string>& paths, const InputOptions& input_options,
                                  const RecordReadOptions& options);

// The notes, one line each, on standard error.
void PrintNotes(const LoadedRecords& loaded);

}  // namespace sparkprof
