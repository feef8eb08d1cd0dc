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

// How specifically a rule explains the time. A finding becomes evidence of a more specific one that claims most of its
// time.
enum class RuleLevel : uint8_t {
  kPart,   // a part of the time: garbage collection, a wait
  kShape,  // the shape of the work: few tasks, a slow task, repeated reads
  kCause,  // an operator, a setting, a line of code, a key
};

struct AdvisedSetting {
  std::string name;
  std::string before;       // its value in the run; empty = not set
  bool is_in_code = false;  // the program's code sets the old value
  std::string after;        // new value, or a description: "half as much again"
};

// A pattern of code before and after a change; not the program's own lines.
struct CodeExample {
  std::string_view before, after;
};

// A problem of the job, with advice. The same problem in several stages is one finding.
struct Finding {
  std::string rule;  // ID in rules.h: "straggler"
  std::string id;    // rule and the stage with the largest gain: "straggler-3.0"
  std::string title;
  std::optional<RuleLevel> level;  // overrides the rule's level; set by FindAll otherwise
  bool is_failure = false;         // the job or a part of it failed; sorted first
  bool is_of_machine = false;      // caused by the machine, not by the job; sorted after findings about the job
  bool is_context = false;         // describes the run without advice for the job
  bool is_from_fragment = false;   // there is no run to replay, so lists show it completely
  // Set by the rule for failures; otherwise by FindAll from the expected saving.
  Severity severity = Severity::kLow;
  std::string what;                              // description with figures
  std::string evidence;                          // measurements
  std::string condition;                         // the rule's condition as a sentence
  Selection selection;                           // samples or tasks that show it
  std::string change;                            // advice
  Claim claim;                                   // time that the change removes; empty = unknown
  Saving saving;                                 // wall-clock time saved, set by FindAll from the claim
  double confidence = 0;                         // 0 … 1: how narrow the range of the saving is, set by FindAll
  std::vector<int64_t> stages;                   // IDs, largest gain first; the selection has their tasks
  std::vector<std::string> frames;               // relevant lines of code: "call_service (slacker.py:18)"
  std::vector<std::string> facts;                // facts of a fragment; only its first finding has them
  std::shared_ptr<const FailureReport> failure;  // null = not a failure with a known text
  std::string cause;          // stages with the same cause and first line form one finding; empty = by line alone
  double expected_share = 0;  // expected saving relative to the application's duration, set by FindAll
  double risk = 0;            // risk of lost work or memory, on the scale of expected_share; 0 = none. Never folded
  std::vector<AdvisedSetting> settings;  // settings to change, set by FindAll
  std::optional<CodeExample> example;    // code for the change, set by FindAll
  std::vector<std::string> ruled_out;    // explanations excluded by the data, set by FindAll: "GC: 1.9% of …"
  std::string overlaps;                  // ID of the more important finding that saves the same time; empty = none
};

// "high" from 0.8, "medium" from 0.3, otherwise "low".
std::string_view ConfidenceName(double confidence);

struct FindingInput {
  const Application& application;
  const std::vector<StackKind>& kinds;
  const std::vector<StageSummary>& stages;
  const WorkNames& names;
  const AccountedRun& run;
  const Payers& payers;
  const Functions& functions;
  int64_t duration_ns = 0;                              // duration of the application
  int64_t cores = 1;                                    // maximum of concurrent cores of all executors, at least 1
  std::vector<std::vector<int64_t>> first_launches_ns;  // FirstLaunches(application)
  // True for each stage whose tasks are complete. Empty unless the input is an excerpt of logs (MissingFromLogs).
  std::vector<bool> has_all_tasks;

  bool IsExcerpt() const { return !has_all_tasks.empty(); }
  bool LacksTasks(size_t stage_row) const { return IsExcerpt() && !has_all_tasks[stage_row]; }
};

// Rules return findings for one stage or for the application. FindAll sets rule, id and stages.
using StageRule = std::optional<Finding>(const FindingInput& input, const Stage& stage, const StageSummary& summary);
using ApplicationRule = std::optional<Finding>(const FindingInput& input);

// True if `a` precedes `b` in lists: failures first, then causes in the job before those in its machine (unless they
// save next to nothing), then by weight.
bool IsMoreImportant(const Finding& a, const Finding& b);

// The expected share of the duration, or the risk if it is larger.
double WeightOf(const Finding& finding);

// True if a list shows only the title: the finding saves less than 1% of the duration, or an unknown time, and is not a
// risk.
bool IsFolded(const Finding& finding);

struct AllFindings {
  std::vector<Finding> findings;  // one per cause, most important first
  std::vector<Finding> context;   // facts about the run
};

AllFindings FindAll(const FindingInput& input);

// Number of rules that have the data they need.
size_t CountRules(const RulesApplied& applied);

// "stage 3.1 (count at Job.scala:12)", with the line of the program or the operation of a library
std::string StageText(const FindingInput& input, const Stage& stage);

Selection SelectStage(const Stage& stage, Event event);

// High from 10% of the application's duration, medium from 2%.
Severity SeverityOf(double share);

}  // namespace sparkprof
