// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/account/claim_replay.h"
#include "analysis/findings/finding.h"

namespace sparkprof {

// The steps of findings.cc before and after the rules.

// Many small stages of one operation, such as those in which a table format reads its log after each commit: rules see
// them as one stage with the tasks of all.
struct StageGroup {
  const Stage* longest = nullptr;
  StageSummary summary;
};

// Stages of one call site and as many tasks, of which none takes long, or of one operation of a library.
std::vector<StageGroup> GroupsOfStages(const FindingInput& input);

// Whether a rule adds up over the stages of a group. Others compare the tasks of one stage with each other, or with the
// cores.
bool IsOfGroups(std::string_view rule);

// Cause before symptom: a finding that another one explains leaves the list, and its title becomes a part of the
// cause's evidence. A finding explains another one of a lower level (RuleLevel) if it claims most of that one's time.
// Garbage collection, spills and waits of tasks that have most of the data are skew.
class Symptoms {
 public:
  // `replay` must outlive it.
  explicit Symptoms(const ClaimReplay& replay) : replay_(replay) {}

  void Fold(std::vector<Finding>* findings) const;

 private:
  bool Explains(const Finding& cause, const Finding& symptom) const;

  const ClaimReplay& replay_;
};

// Sets what the claims of findings save, and what follows from it: their share of the duration, their confidence, and
// the severity of findings that are no failures. The claims that can be the largest are replayed; where the run has
// too many tasks to replay all, the others are estimated.
void SetSavings(const FindingInput& input, ClaimReplay* replay, std::vector<Finding>* findings);

// Marks findings, in their order, that claim what a more important one claims, too: they are alternatives. The
// others' savings add up to at most the application's duration.
void MarkOverlaps(const FindingInput& input, const ClaimReplay& replay, std::vector<Finding>* findings);

// The common explanations of a slow stage that its metrics exclude, by half of the limits of their rules; without those
// that the finding itself is about. Empty for failures, and for findings that are not about a stage with task metrics.
std::vector<std::string> RuledOut(const FindingInput& input, const Finding& finding);

// Python code before and after the change of a finding, for a Python program and advice that such a pattern shows.
std::optional<CodeExample> ExampleOf(const Application& application, const Finding& finding);

// Gives a finding that no sample and no stack trace gave a line the lines of the program that run its stages; without
// any, the table that the first one's query writes, or else that it reads.
void NameLines(const Application& application, const WorkNames& names, Finding* finding);

}  // namespace sparkprof
