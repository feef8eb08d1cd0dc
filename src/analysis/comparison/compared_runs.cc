// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison/compared_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "analysis/plans/plan_text.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

using Identity = std::pair<std::string, std::string>;  // rule, and name of the first stage

Identity IdentityOf(const Application& application, const Finding& finding) {
  if (finding.stages.empty()) return {finding.rule, ""};
  const auto stage =
      std::ranges::find_if(application.stages, [&](const Stage& one) { return one.id == finding.stages.front(); });
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

using Operators = std::map<std::string, int64_t>;  // number of operators by name

struct Query {
  const SqlExecution* sql;
  Operators operators;
  bool is_matched = false;
};

using Queries = std::map<std::string, std::vector<Query>>;  // in order, by description

bool IsWrapper(const std::string& name) {
  return name.empty() || name.starts_with("WholeStageCodegen") || name == "InputAdapter" || name == "AdaptiveSparkPlan";
}

void Count(const PlanNode& node, Operators* operators) {
  if (!IsWrapper(node.name)) ++(*operators)[MaskNumbers(node.name)];
  for (const PlanNode& child : node.children) Count(child, operators);
}

std::string NameOf(const SqlExecution& sql) { return ShortCallSite(sql.description); }

Queries QueriesOf(const Application& application) {
  Queries queries;
  for (const SqlExecution& sql : application.sql_executions) {
    Query query{&sql, {}};
    Count(sql.plan, &query.operators);
    if (!query.operators.empty()) queries[MaskNumbers(NameOf(sql))].push_back(std::move(query));
  }
  return queries;
}

std::vector<std::string> MoreIn(const Operators& more, const Operators& less) {
  std::vector<std::string> names;
  for (const auto& [name, count] : more) {
    const auto other = less.find(name);
    const int64_t surplus = count - (other == less.end() ? 0 : other->second);
    if (surplus > 0) names.push_back(surplus > 1 ? fmt::format("{} ×{}", name, surplus) : name);
  }
  return names;
}

int64_t DurationOf(const SqlExecution& sql) { return std::max<int64_t>(0, sql.end_ns - sql.start_ns); }

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

std::vector<PlanChange> ComparePlans(const Application& before, const Application& after) {
  Queries of_before = QueriesOf(before), of_after = QueriesOf(after);
  std::vector<PlanChange> changes;
  for (auto& [name, earlier] : of_before) {
    const auto found = of_after.find(name);
    if (found == of_after.end()) continue;
    std::vector<Query>& later = found->second;
    const auto match = [&, &queries = earlier](const auto& fits, const auto& use) {
      for (Query& one : queries) {
        if (one.is_matched) continue;
        const auto other =
            std::ranges::find_if(later, [&](const Query& two) { return !two.is_matched && fits(one, two); });
        if (other == later.end()) continue;
        one.is_matched = other->is_matched = true;
        use(one, *other);
      }
    };
    match([](const Query& one, const Query& two) { return one.operators == two.operators; },
          [](const Query&, const Query&) {});
    match([](const Query&, const Query&) { return true; },
          [&](const Query& one, const Query& two) {
            changes.push_back({NameOf(*two.sql), one.sql->id, two.sql->id, DurationOf(*one.sql), DurationOf(*two.sql),
                               MoreIn(one.operators, two.operators), MoreIn(two.operators, one.operators)});
          });
  }
  std::ranges::stable_sort(changes, [](const PlanChange& a, const PlanChange& b) {
    return std::abs(a.after_ns - a.before_ns) > std::abs(b.after_ns - b.before_ns);
  });
  return changes;
}

}  // namespace sparkprof
