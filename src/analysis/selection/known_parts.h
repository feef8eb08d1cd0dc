// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// The counts of an application that its inputs provide. An unknown count is not 0.
struct KnownParts {
  bool jobs = false;       // from the driver's events, in a log or recording
  bool tasks = false;      // tasks and their stages; without the driver, only those of the recorded executors
  bool executors = false;  // without the driver, only the recorded ones
};

KnownParts PartsKnownOf(const Application& application);

// Whether there is any data for answers: Spark's start or work, samples, metrics, or a warning or error in the logs.
bool HasData(const Application& application);

// Data that a finding's rule requires.
enum class RuleNeed : uint8_t { kTasks = 0, kDriver, kTaskMetrics, kCpuSamples, kProcessMetrics };

// A group of findings whose rules lacked data, with the reason: {"code and locks", "no CPU samples"}.
struct NotChecked {
  std::string what;
  std::string reason;
  RuleNeed need = RuleNeed::kTasks;

  bool operator==(const NotChecked&) const = default;
};

struct RulesApplied {
  bool any = false;    // false = there are no jobs, stages and tasks, which all rules require
  size_t checked = 0;  // number of rules with data
  std::vector<NotChecked> not_checked;

  bool Has(RuleNeed need) const {
    return any && std::none_of(not_checked.begin(), not_checked.end(),
                               [need](const NotChecked& one) { return one.need == need; });
  }
};

RulesApplied RulesAppliedTo(const Application& application);

// The answer if no rule found anything: "No known problems detected (61 rules checked); not checked: code and locks (no
// CPU samples)", or "Not checked for known problems: …".
std::string NoFindingsText(const RulesApplied& rules);

}  // namespace sparkprof
