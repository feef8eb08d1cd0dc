// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison/compared_runs.h"

#include <algorithm>
#include <set>
#include <utility>

namespace sparkprof {
namespace {

using Identity = std::pair<std::string, std::string>;  // rule, and name of the first stage

Identity IdentityOf(const Application& application, const Finding& finding) {
  if (finding.stages.empty()) return {finding.rule, ""};
  const auto stage = std::find_if(application.stages.begin(), application.stages.end(),
                                  [&](const Stage& one) { return one.id == finding.stages.front(); });
  return {finding.rule, stage == application.stages.end() ? "" : stage->name};
}

std::vector<const Finding*> OnlyIn(const Application& application, const Answers& answers, const Application& other,
                                   const Answers& other_answers) {
  std::set<Identity> known;
  for (const Finding& finding : other_answers.findings) known.insert(IdentityOf(other, finding));
  std::vector<const Finding*> only;
  for (const Finding& finding : answers.findings) {
    if (!known.contains(IdentityOf(application, finding))) only.push_back(&finding);
  }
  return only;
}

}  // namespace

ComparedRuns CompareAnswered(const AnsweredRun& before, const AnsweredRun& after) {
  ComparedRuns runs;
  runs.comparison = CompareRuns(before.application, after.application);
  runs.causes = CausesOfChange(runs.comparison, before.application, before.answers.stages, after.application,
                               after.answers.stages);
  runs.findings = CompareFindings(before.application, before.answers, after.application, after.answers);
  runs.plans = ComparePlans(before.application, after.application);
  return runs;
}

FindingChanges CompareFindings(const Application& before, const Answers& before_answers, const Application& after,
                               const Answers& after_answers) {
  return {OnlyIn(before, before_answers, after, after_answers), OnlyIn(after, after_answers, before, before_answers)};
}

}  // namespace sparkprof
