// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "formats/records/record_builder.h"
#include "input_options.h"

namespace sparkprof {

// The profiler records below files and folders, merged.
struct LoadedRecords {
  ProfilerRecords records;
  std::vector<std::string> notes;  // skipped data with the reasons
};

// Reads the records of jvm-profiler, the PySpark profilers and babar: separate files or lines between other output,
// compressed or not. Fails if a path cannot be read, or if there are only errors.
Result<LoadedRecords> LoadRecords(const std::vector<std::string>& paths, const InputOptions& input_options,
                                  const RecordReadOptions& options);

// Prints the notes on standard error, one per line.
void PrintNotes(const LoadedRecords& loaded);

}  // namespace sparkprof
