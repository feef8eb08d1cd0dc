// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "libraries/libraries.h"

namespace sparkprof {

std::optional<Finding> FindLibraryWork(const FindingInput& input) {
  struct Work {
    std::string_view library, change;
    std::vector<int64_t> stages;
    int64_t time_ns = 0;
  };
  std::map<std::string, Work> by_line;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const WorkName& name = input.names.stages[row];
    if (name.library.empty() || input.stages[row].wall_ns == 0) continue;
    Work& work = by_line[name.line];
    work.library = name.library;
    // "Deequ: profiling columns"
    work.change = ChangeOfOperation(name.library, std::string_view(name.line).substr(name.library.size() + 2));
    if (work.change.empty()) continue;
    work.stages.push_back(input.application.stages[row].id);
    work.time_ns += input.stages[row].wall_ns;
  }
  const auto most = std::ranges::max_element(
      by_line, [](const auto& a, const auto& b) { return a.second.time_ns < b.second.time_ns; });
  if (most == by_line.end()) return std::nullopt;
  const auto& [line, work] = *most;
  const double share = Share(work.time_ns, input.duration_ns);
  if (share < kMuchOfTime) return std::nullopt;
  const auto count = static_cast<int64_t>(work.stages.size());
  Finding finding;
  finding.title = fmt::format("{} takes {} of the time", line, FormatShare(share));
  finding.what = fmt::format("The program calls {}, which runs {}", work.library, Counted(count, "stage"));
  finding.evidence = fmt::format("these stages take {}", FormatDuration(work.time_ns));
  finding.condition =
      fmt::format("The stages of a library's operation for which sparkprof has advice take at least {} of the duration",
                  FormatShare(kMuchOfTime));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = work.stages;
  finding.change = work.change;
  // A setting turns the operation off.
  finding.claim = ClaimStages(input, work.stages, work.time_ns, kSome);
  return finding;
}

namespace {

constexpr int64_t kManyUses = 5;  // calls of a function on cached rows, each in a separate query

// The number of queries that call the function that is called most often on cached rows.
int64_t UsesOfCachedRows(const Application& application) {
  std::map<std::string, int64_t> counts;
  int64_t most = 0;
  for (const SqlExecution& sql : application.sql_executions) {
    const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
    const auto reads_cache = [](const PlanOperator& one) { return one.kind == "InMemoryTableScan"; };
    if (std::ranges::none_of(operators, reads_cache)) continue;
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
    if (work.library.empty() || !Contains(work.work, "read cache")) continue;
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
