// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/records/record_builder.h"
#include "inputs/input_options.h"

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

// Options of `sparkprof convert` for stacks in profiler records, which may be anywhere in logs.
struct RecordStackOptions {
  bool is_given = false;  // --records
  std::string rdd;
  bool each = false;
  InputOptions inputs;  // limits for reading the inputs

  bool Any() const { return is_given || each || !rdd.empty(); }
  void AddTo(CLI::App& command);
};

struct RecordStackFiles {
  std::vector<std::string> inputs;
  std::string output;
  std::string format;  // collapsed or json; empty = derived from the output's name
};

// Writes the stacks for flamegraph.pl and other tools, "root;…;leaf COUNT", or as JSON. Returns the exit code, 1 if
// there are none.
int WriteRecordStacks(const RecordStackOptions& options, RecordStackFiles files, const CLI::App& command);

}  // namespace sparkprof
