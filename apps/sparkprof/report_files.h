// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Writes the output of `sparkprof run`: reads `recordings` once and writes report.html, flame.svg (cpu samples, or
// those of the first event that has any) and summary.json (as `sparkprof info --json`) to the existing folder
// `output_dir`. Stores a summary of about ten lines in `summary_text`. Each file appears complete or not at all.
// `source` is a folder with source code for the report; empty = none.
Result<void> WriteReportFiles(const std::vector<std::string>& recordings, const std::string& output_dir,
                              const std::string& source, std::string* summary_text);

}  // namespace sparkprof
