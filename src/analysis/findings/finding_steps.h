// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/account/claim_replay.h"
#include "analysis/findings/finding.h"

namespace sparkprof {

// Steps of findings.cc before and after the rules.

// Many small stages of one operation, such as the reads of a table format's log after each commit. Rules see them as
// one stage with all tasks.
struct StageGroup {
  const Stage* longest = nullptr;
  StageSummary summary;
};

// Groups stages with one call site and an equal number of tasks, none of them long, or stages of one operation of a
// library.
std::vector<StageGroup> GroupsOfStages(const FindingInput& input);

// True if a rule sums over the stages of a group. Other rules compare the tasks of one stage with each other or with
// the cores.
bool IsOfGroups(std::string_view rule);

// Removes symptoms: a finding that another one explains becomes part of the cause's evidence, by its title. A finding
// explains a less specific one (RuleLevel) if it claims most of its time. GC, spills and waits of tasks with most of
// the data are symptoms of skew.
class Symptoms {
 public:
  // `replay` must outlive it.
  explicit Symptoms(const ClaimReplay& replay) : replay_(replay) {}

  void Fold(std::vector<Finding>* findings) const;

 private:
  bool Explains(const Finding& cause, const Finding& symptom) const;

  const ClaimReplay& replay_;
};

// Sets the savings of the findings' claims and derived values: share of the duration, confidence, and severity (except
// of failures). Replays the claims that can be the largest; estimates the others if the run has too many tasks.
void SetSavings(const FindingInput& input, ClaimReplay* replay, std::vector<Finding>* findings);

// Marks findings as alternatives if they claim time that a more important one claims, too. The others' savings add up
// to at most the application's duration, and their low ends to what a run without all of their claims saves.
void MarkOverlaps(const FindingInput& input, ClaimReplay* replay, std::vector<Finding>* findings);

// Common explanations of a slow stage that its metrics exclude, at half of the limits of their rules, except the
// finding's own subject. Empty for failures and for findings without a stage with task metrics.
std::vector<std::string> RuledOut(const FindingInput& input, const Finding& finding);

// Python code before and after a finding's change; nullopt if the program is not in Python, or no pattern fits the
// advice.
std::optional<CodeExample> ExampleOf(const Application& application, const Finding& finding);

// Adds lines to a finding without any: the program's lines that run its stages, otherwise the table that the first
// stage's query writes or reads.
void NameLines(const Application& application, const WorkNames& names, Finding* finding);

}  // namespace sparkprof
