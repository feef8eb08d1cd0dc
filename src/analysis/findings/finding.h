// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/account/account.h"
#include "analysis/account/claim.h"
#include "analysis/account/payers.h"
#include "analysis/plans/work_names.h"
#include "analysis/selection/known_parts.h"
#include "analysis/selection/selection.h"
#include "analysis/selection/stack_kinds.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"
#include "profiles/frame_weights.h"

namespace sparkprof {

struct FailureReport;

enum class Severity : uint8_t { kLow, kMedium, kHigh };
std::string_view SeverityName(Severity severity);  // "low", "medium", "high"

std::optional<Severity> ParseSeverity(std::string_view name);

// A rule names a part of the time or its cause. A finding is evidence of one that names more and claims most of its
// time.
enum class RuleLevel : uint8_t {
  kPart,   // a part of the time: garbage collection, a wait
  kShape,  // the shape of the work: few tasks, a slow one, data that is read again
  kCause,  // an operator, a setting, a line of code, a key
};

// A setting that an advice changes.
struct AdvisedSetting {
  std::string name;
  std::string before;       // its value in the run; empty = not set
  bool is_in_code = false;  // the program sets that value in its code, where it must change
  std::string after;        // its new value, or what is said of it: "half as much again"
};

// Code of the kind that an advice changes, and the same with the change: a pattern, not the program's own lines.
struct CodeExample {
  std::string_view before, after;
};

// A problem of the job, with advice. The same problem in several stages is one finding.
struct Finding {
  std::string rule;  // its ID in rules.h: "straggler"
  std::string id;    // of the rule, and the stage with the largest gain: "straggler-3.0"
  std::string title;
  std::optional<RuleLevel> level;  // that of the rule, unless it sets another; nothing before FindAll sets it
  bool is_failure = false;         // the job or a part of it failed; comes first
  bool is_of_machine = false;  // no mistake of the job, which would be as slow elsewhere; comes after those of the job
  bool is_context = false;     // describes the run, and nothing to change in the job
  bool is_from_fragment = false;  // there is no run to replay without it, so a list shows it whole
  // The rule of a failure sets it. Otherwise FindAll sets it by the expected saving.
  Severity severity = Severity::kLow;
  std::string what;                              // what happens, with figures
  std::string evidence;                          // what was measured
  std::string condition;                         // of the rule, as a sentence
  Selection selection;                           // what shows it
  std::string change;                            // what to change
  Claim claim;                                   // what the change removes; empty = no time is known
  Saving saving;                                 // of wall-clock time, set by FindAll from the claim
  double confidence = 0;                         // 0 … 1: how narrow the range of the saving is, set by FindAll
  std::vector<int64_t> stages;                   // IDs, the largest gain first; its tasks are those of the selection
  std::vector<std::string> frames;               // the lines of code it is about: "call_service (slacker.py:18)"
  std::vector<std::string> facts;                // of the fragment; only its first finding has them
  std::shared_ptr<const FailureReport> failure;  // null = it is not about a failure with a known text
  std::string cause;          // stages with the same cause and first line have one finding; empty = by line alone
  double expected_share = 0;  // of the application's duration that its change saves, set by FindAll
  double risk = 0;  // of losing work or running out of memory, weighed like expected_share; 0 = none. Never folded
  std::vector<AdvisedSetting> settings;  // of the change, set by FindAll
  std::optional<CodeExample> example;    // of the change, set by FindAll
  std::vector<std::string> ruled_out;    // other explanations that the data exclude, set by FindAll: "GC: 1.9% of …"
  std::string overlaps;                  // ID of the more important finding that saves the same time; empty = none does
};

// "high" from 0.8 on, "medium" from 0.3 on, else "low".
std::string_view ConfidenceName(double confidence);

// Input of the rules, computed once.
struct FindingInput {
  const Application& application;
  const std::vector<StackKind>& kinds;
  const std::vector<StageSummary>& stages;
  const WorkNames& names;
  const AccountedRun& run;
  const Payers& payers;
  const Functions& functions;
  int64_t duration_ns = 0;                              // of the application
  int64_t cores = 1;                                    // of all executors at one time, at least 1
  std::vector<std::vector<int64_t>> first_launches_ns;  // FirstLaunches(application)
  // By stage, if the input is an excerpt of logs (MissingFromLogs): whether it has all tasks. Empty = no excerpt.
  std::vector<bool> has_all_tasks;

  bool IsExcerpt() const { return !has_all_tasks.empty(); }
  bool LacksTasks(size_t stage_row) const { return IsExcerpt() && !has_all_tasks[stage_row]; }
};

// Findings of rules in one stage, and in the application as a whole. FindAll sets rule, id and stages.
using StageRule = std::optional<Finding>(const FindingInput& input, const Stage& stage, const StageSummary& summary);
using ApplicationRule = std::optional<Finding>(const FindingInput& input);

// Whether `a` comes before `b` in a list: failures first; then causes in the job before those of its machine, unless
// they save next to nothing; and the largest weight first.
bool IsMoreImportant(const Finding& a, const Finding& b);

// The expected share of the duration, or the risk if that is larger.
double WeightOf(const Finding& finding);

// Whether a list shows only its title: it saves less than one percent of the duration, or nothing that is known, and is
// no risk.
bool IsFolded(const Finding& finding);

struct AllFindings {
  std::vector<Finding> findings;  // one for each cause, the most important first
  std::vector<Finding> context;   // about the run, for its reader
};

// All rules applied.
AllFindings FindAll(const FindingInput& input);

// Rules that have the data they need.
size_t CountRules(const RulesApplied& applied);

// "stage 3.0 (count at Job.scala:12)"
std::string StageText(const Stage& stage);

// A selection of `stage` and `event`.
Selection SelectStage(const Stage& stage, Event event);

// An expected saving of ten percent of the application's duration is high, of two percent medium.
Severity SeverityOf(double share);

}  // namespace sparkprof
