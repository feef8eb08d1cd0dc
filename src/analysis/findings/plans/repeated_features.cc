// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "analysis/plans/plan_text.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyUses = 5;  // calls of a function on cached rows, each in a separate query

// The number of queries that call the function that is called most often on cached rows.
int64_t UsesOfCachedRows(const Application& application) {
  std::map<std::string, int64_t> counts;
  int64_t most = 0;
  for (const SqlExecution& sql : application.sql_executions) {
    const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
    const auto reads_cache = [](const PlanOperator& one) { return one.kind == "InMemoryTableScan"; };
    if (std::none_of(operators.begin(), operators.end(), reads_cache)) continue;
    std::set<std::string> calls, cached;
    for (const PlanOperator& one : operators) AddCostlyCalls(one, IsBelowCache(operators, one) ? &cached : &calls);
    // The cache already contains the features; the model's own functions follow.
    if (!cached.empty()) continue;
    for (const std::string& call : calls) most = std::max(most, ++counts[call]);
  }
  return most;
}

}  // namespace

// Transformers of a pipeline run again for each fit and each evaluation of a model, because Spark ML caches only the
// input rows of an algorithm.
std::optional<Finding> FindRepeatedFeatures(const FindingInput& input) {
  const Application& application = input.application;
  const int64_t uses = UsesOfCachedRows(application);
  if (uses < kManyUses) return std::nullopt;
  Finding finding;
  int64_t time_ns = 0, longest_ns = 0;
  std::string_view library;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    const WorkName& work = input.names.stages[row];
    if (work.library.empty() || work.work.find("read cache") == std::string::npos) continue;
    library = work.library;
    time_ns += input.stages[row].wall_ns;
    longest_ns = std::max(longest_ns, input.stages[row].wall_ns);
    finding.stages.push_back(application.stages[row].id);
  }
  const auto count = static_cast<int64_t>(finding.stages.size());
  const int64_t saved_ns = time_ns - longest_ns;
  if (count < kManyUses || saved_ns < kWorthwhileNs || Share(saved_ns, input.duration_ns) < kMuchOfTime)
    return std::nullopt;
  finding.title =
      fmt::format("{} stages of {} compute the same features of cached rows again", CountText(count), library);
  finding.what = fmt::format("{} queries call the same functions for rows that are cached before these functions",
                             CountText(uses));
  finding.evidence = fmt::format("the stages that read the cache and compute on it take {}, the longest {}",
                                 FormatDuration(time_ns), FormatDuration(longest_ns));
  finding.condition = fmt::format(
      "At least {} queries call the same function of cached rows, and the stages of a library that read the cache, "
      "without the longest, take at least {} of the duration",
      kManyUses, FormatShare(kMuchOfTime));
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      "Transform once before the fits: run the stages of the pipeline that learn nothing (tokenizers, HashingTF, "
      "assemblers) over all rows, cache() the label and the features, and fit and cross-validate only the estimator";
  finding.claim = ClaimStages(input, finding.stages, saved_ns, kHalf);
  return finding;
}

}  // namespace sparkprof
