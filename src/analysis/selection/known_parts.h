// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Which counts of an application its inputs can give. A count that is not known is not 0.
struct KnownParts {
  bool jobs = false;       // the driver's events, log or recording
  bool tasks = false;      // tasks and their stages; without the driver, only those of the recorded executors
  bool executors = false;  // without the driver, only the recorded ones
};

KnownParts PartsKnownOf(const Application& application);

// A group of findings whose rules had nothing to work on, and the reason: {"code and locks", "no CPU samples"}.
struct NotChecked {
  std::string what;
  std::string reason;

  bool operator==(const NotChecked&) const = default;
};

// Inputs of the rules of findings.
struct RulesApplied {
  bool any = false;  // false: the rules require jobs, stages and tasks, of which there are none
  std::vector<NotChecked> not_checked;
};

RulesApplied RulesAppliedTo(const Application& application);

// The answer where no rule found anything: "no known problems detected; not checked: code and locks (no CPU samples)",
// or "not checked for known problems: …".
std::string NoFindingsText(const RulesApplied& rules);

}  // namespace sparkprof
