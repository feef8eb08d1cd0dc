// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

// The parts that the application's text logs lack: "the start of the application and 12 of at least 16 tasks"; empty if
// they are whole, or if the jobs and tasks are from other inputs. Durations, idle times and shares of an excerpt are
// unknown.
std::string_view MissingFromLogs(const Application& application);

// "The logs are an excerpt: they lack …", with what is unknown for that.
std::string ExcerptInWords(std::string_view missing);

// By stage: whether the input has a successful attempt of each of its tasks. In an excerpt, other stages may have run
// tasks that the logs lack.
std::vector<bool> StagesWithAllTasks(const Application& application);

// Whether there is any data for answers: Spark's start or work, samples, metrics, or a warning or error in the logs.
bool HasData(const Application& application);

// Data that a finding's rule requires.
enum class RuleNeed : uint8_t {
  kTasks = 0,
  kWholeStages,  // all tasks of a stage
  kDriver,
  kWholeRun,  // all jobs, tasks and executors from start to end, and the driver
  kTaskMetrics,
  kCpuSamples,
  kProcessMetrics
};

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

  bool Has(RuleNeed need) const;
};

RulesApplied RulesAppliedTo(const Application& application);

// The answer if no rule found anything: "No known problems detected (61 rules checked); not checked: code and locks (no
// CPU samples)", or "Not checked for known problems: …".
std::string NoFindingsText(const RulesApplied& rules);

}  // namespace sparkprof
