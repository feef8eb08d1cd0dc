// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/costs/price_list.h"
#include "base/result.h"

namespace sparkprof {

// Writes the output of `sparkprof run`: reads `recordings` once and writes report.html, flame.svg (cpu samples, or
// those of the first event that has any) and summary.json (as `sparkprof info --json`) to the existing folder
// `output_dir`. Stores a summary of about ten lines in `summary_text`. Each file appears completely or not at all.
// `source`: folder with source code for the report; empty = none. With `prices`, all outputs include costs.
Result<void> WriteReportFiles(const std::vector<std::string>& recordings, const std::string& output_dir,
                              const std::string& source, const std::optional<PriceList>& prices,
                              std::string* summary_text);

}  // namespace sparkprof
