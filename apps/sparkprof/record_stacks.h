// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "input_options.h"

namespace sparkprof {

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
