// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "analysis/findings/finding.h"
#include "base/text.h"

namespace sparkprof {

// The weight of a finding: "medium, saves 3.0 s (2.1 s to 3.9 s); cpu of driver; evidence".
inline std::string Weighed(const Finding& finding) {
  const Selection& selection = finding.selection;
  const Saving& saving = finding.saving;
  std::string text = fmt::format("{}, ", SeverityName(finding.severity));
  text += saving.IsKnown() ? fmt::format("saves {} ({} to {})", FormatDuration(saving.likely_ns),
                                         FormatDuration(saving.low_ns), FormatDuration(saving.high_ns))
                           : "saves no known time";
  text += "; " + selection.event;
  if (selection.executor) text += " of " + *selection.executor;
  if (selection.stage) text += fmt::format(" of stage {}", *selection.stage);
  return text + "; " + finding.evidence;
}

}  // namespace sparkprof
