// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "analysis/answers.h"
#include "analysis/plans/operator_costs.h"
#include "analysis/selection/coarse_samples.h"
#include "base/result.h"
#include "loader/source_files.h"
#include "model/application.h"

namespace sparkprof {

inline constexpr size_t kReportBudget = size_t{20} << 20;  // size of a report

struct ReportOptions {
  std::string start_tab;   // the tab that is open at first; empty = the page's own choice
  std::string start_view;  // initial view as a URL fragment; takes precedence over start_tab
  std::string note;        // about other data of the recording, added to the page's notices; may be empty
  size_t budget = kReportBudget;
  const SourceFiles* sources = nullptr;  // source code to show beside frames; null = none
};

// The data of docs/report-data.md before compression: `samples` and the data of `application`, `answers` and
// `operators`. `coarser` goes to "dropped".
std::string EncodeReportData(const Application& application, const Answers& answers, const OperatorCosts& operators,
                             const CoarseSamples& samples, const ReportOptions& options, const std::string& coarser);

// EncodeReportData as gzip, as detailed as the budget allows.
std::string RenderReportData(const Application& application, const Answers& answers, const ReportOptions& options);

// report.html with the application's samples, as detailed as the budget allows.
Result<std::string> RenderReport(const Application& application, const Answers& answers, const ReportOptions& options);

}  // namespace sparkprof
