// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/answers.h"
#include "analysis/costs/price_list.h"
#include "base/result.h"
#include "model/application.h"

namespace sparkprof {

// Writes the output of `sparkprof run`: reads `recordings` once and writes report.html, flame.svg (cpu samples, or
// those of the first event that has any) and summary.json (as `sparkprof info --json`) to the existing folder
// `output_dir`. Stores a summary of about ten lines in `summary_text`. Each file appears completely or not at all.
// `source`: folder with source code for the report; empty = none. With `prices`, all outputs include costs.
Result<void> WriteReportFiles(const std::vector<std::string>& recordings, const std::string& output_dir,
                              const std::string& source, const std::optional<PriceList>& prices,
                              std::string* summary_text);

// Stores the report's path for `sparkprof open` in a private file of this user's state folder (XDG_STATE_HOME, or
// ~/.local/state). Does nothing for a report on standard output or a device, or without such a folder: no command fails
// because of it.
void RememberReport(const std::string& path);

// The absolute path of the last report. Fails if no report was written, or if the file no longer exists.
Result<std::string> LastReport();

// Writes the spans of an application to a file, or sends them to a URL. They belong to the trace in the variable
// TRACEPARENT, else in the job's settings. `page`: URL of the application's page; may be empty.
Result<void> WriteTraces(const Application& application, const Answers& answers, const std::string& page,
                         const std::string& output);

}  // namespace sparkprof
