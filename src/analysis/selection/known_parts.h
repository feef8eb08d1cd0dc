// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
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

// Whether there is something to answer from: Spark's start or work, samples, metrics, or a warning or error in the
// logs.
bool HasData(const Application& application);

// Data that a rule of findings requires.
enum class RuleNeed : uint8_t { kTasks = 0, kDriver, kTaskMetrics, kCpuSamples, kProcessMetrics };

// A group of findings whose rules had nothing to work on, and the reason: {"code and locks", "no CPU samples"}.
struct NotChecked {
  std::string what;
  std::string reason;
  RuleNeed need = RuleNeed::kTasks;

  bool operator==(const NotChecked&) const = default;
};

// Inputs of the rules of findings.
struct RulesApplied {
  bool any = false;    // false: the rules require jobs, stages and tasks, of which there are none
  size_t checked = 0;  // rules that had something to work on
  std::vector<NotChecked> not_checked;

  bool Has(RuleNeed need) const {
    return any && std::none_of(not_checked.begin(), not_checked.end(),
                               [need](const NotChecked& one) { return one.need == need; });
  }
};

RulesApplied RulesAppliedTo(const Application& application);

// The answer where no rule found anything: "No known problems detected (61 rules checked); not checked: code and locks
// (no CPU samples)", or "Not checked for known problems: …".
std::string NoFindingsText(const RulesApplied& rules);

}  // namespace sparkprof
