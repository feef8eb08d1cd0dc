// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// What `sparkprof run` leaves behind: reads `recordings` once and writes report.html, flame.svg (all cpu samples, or
// those of the first event that has any) and summary.json (as `sparkprof info --json`) into `output_dir`, which exists.
// `summary_text` becomes the summary of about ten lines, each ended by a line end. Each file appears whole or not at
// all.
Result<void> WriteReportFiles(const std::vector<std::string>& recordings, const std::string& output_dir,
                              std::string* summary_text);

}  // namespace sparkprof
