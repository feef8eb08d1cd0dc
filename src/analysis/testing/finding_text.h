// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "analysis/findings/finding.h"
#include "base/text.h"

namespace sparkprof {

// The weight of a finding: "medium, 0.8 sure, saves 3.0 s (0.7 to 1.3 times); cpu of driver; evidence".
inline std::string Weighed(const Finding& finding) {
  const Selection& selection = finding.selection;
  std::string text = fmt::format("{}, {} sure, ", SeverityName(finding.severity), finding.confidence);
  text += finding.gain_ns == 0 ? "saves no known time"
                               : fmt::format("saves {} ({:.2g} to {:.2g} times)", FormatDuration(finding.gain_ns),
                                             finding.gain_low, finding.gain_high);
  text += "; " + selection.event;
  if (selection.executor) text += " of " + *selection.executor;
  if (selection.stage) text += fmt::format(" of stage {}", *selection.stage);
  return text + "; " + finding.evidence;
}

}  // namespace sparkprof
