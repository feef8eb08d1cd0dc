// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/findings/advice.h"
#include "analysis/findings/memory/cache_reads.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "analysis/plans/plan_text.h"
#include "base/text/text.h"
#include "libraries/libraries.h"
#include "model/plan_operators.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxNamedCaches = 3;
constexpr size_t kManySteps = 3;
constexpr int64_t kCostOfStoring = 5;  // estimate: 1/5 of the time of the stage that computes the rows

const Stage* SucceededStage(const Application& application, int64_t id) {
  const auto stage = std::find_if(application.stages.begin(), application.stages.end(), [&](const Stage& one) {
    return one.id == id && one.status == RunStatus::kSucceeded;
  });
  return stage == application.stages.end() ? nullptr : &*stage;
}

int64_t ReadsOfCache(const SqlExecution& sql) {
  const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
  return std::count_if(operators.begin(), operators.end(),
                       [](const PlanOperator& one) { return one.kind == "InMemoryTableScan"; });
}

// True if the RDD was computed completely and nothing read it afterward: no other stage, or only the query that
// computes it in a separate stage, as in Spark 3.5 and later.
bool IsUnused(const FindingInput& input, const CachedRdd& rdd) {
  const std::set<int64_t> stages(rdd.stages.begin(), rdd.stages.end());
  if (stages.empty()) return false;
  const Stage* const first = SucceededStage(input.application, *stages.begin());
  // Users cannot remove a library's cache.
  if (first == nullptr || IsCacheOfLibrary(rdd.name) || !WorkOf(input, *first).library.empty()) return false;
  if (stages.size() == 1) return true;
  if (first->sql_execution < 0) return false;
  for (const int64_t id : stages) {
    const Stage* const stage = SucceededStage(input.application, id);
    if (stage == nullptr || stage->sql_execution != first->sql_execution) return false;
  }
  const std::vector<SqlExecution>& queries = input.application.sql_executions;
  return std::any_of(queries.begin(), queries.end(),
                     [&](const SqlExecution& sql) { return sql.id == first->sql_execution && ReadsOfCache(sql) == 1; });
}

// Claims the cost of filling a cache: the GC of the heap that it fills, and a part of the stage's remaining time.
void AddCost(const FindingInput& input, const CachedRdd& rdd, Claim* claim) {
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const StageSummary& summary = input.stages[row];
    if (rdd.stages.empty() || input.application.stages[row].id != rdd.stages.front() || summary.tasks.empty()) continue;
    const int64_t gc_ns = summary.Total(TaskMetric::kGcTime);
    const int64_t rest_ns = std::max<int64_t>(0, summary.Total(TaskMetric::kDuration) - gc_ns);
    const auto stage = static_cast<int32_t>(row);
    if (gc_ns > 0) claim->stages.push_back({stage, AccountPart::kGc, gc_ns});
    claim->stages.push_back({stage, AccountPart::kCpu, rest_ns / kCostOfStoring});
  }
}

// True if one query fills it and exactly one other query reads it.
bool IsReadOnce(const FindingInput& input, const CachedRdd& rdd) {
  if (rdd.stages.size() < 2 || IsCacheOfLibrary(rdd.name)) return false;
  const Stage* const first = SucceededStage(input.application, rdd.stages.front());
  return first != nullptr && WorkOf(input, *first).library.empty() &&
         QueriesOf(input.application, ReadersOf(input.application, rdd), first->id) == 1;
}

// Finds programs that cache the result of each step and fill each cache by a separate action.
std::optional<Finding> FindCachedSteps(const FindingInput& input) {
  std::vector<const CachedRdd*> steps;
  for (const CachedRdd& rdd : input.application.cached_rdds) {
    if (IsReadOnce(input, rdd)) steps.push_back(&rdd);
  }
  if (steps.size() < kManySteps) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("{} cached data sets are read only once each", steps.size());
  finding.what = "A query of its own fills each of the caches, and one other query reads it";
  for (const CachedRdd* step : steps) finding.stages.push_back(step->stages.front());
  const int64_t time_ns = TimeOfStages(input, finding.stages);
  finding.evidence = fmt::format("the stages that fill them take {}", FormatDuration(time_ns));
  finding.condition = fmt::format(
      "The application ended, and at least {} cached data sets were filled by one query and read by one other",
      kManySteps);
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      "Remove the cache() or persist() calls, and the actions that only fill the caches, such as count(): each stores "
      "all rows and columns to read them once. Keep a cache that several queries read";
  finding.claim = ClaimStages(input, finding.stages, time_ns, kHalf);
  return finding;
}

std::string NameOf(const CachedRdd& rdd) {
  return rdd.name.empty() ? fmt::format("RDD {}", rdd.id) : ShortRddName(rdd.name);
}

}  // namespace

std::optional<Finding> FindUnusedCaches(const FindingInput& input) {
  // A running application may read it later; users at a prompt may have planned to.
  if (!input.application.ended || IsInteractive(input.application)) return std::nullopt;
  std::vector<const CachedRdd*> unused;
  for (const CachedRdd& rdd : input.application.cached_rdds) {
    if (IsUnused(input, rdd)) unused.push_back(&rdd);
  }
  if (unused.empty()) return FindCachedSteps(input);
  Finding finding;
  finding.claim.removal = kMost;
  finding.title = unused.size() > 1 ? fmt::format("{} cached data sets are read once at most", unused.size())
                  : unused.front()->stages.size() > 1
                      ? fmt::format("Cached data is read only once: {}", NameOf(*unused.front()))
                      : fmt::format("Cached data is never read: {}", NameOf(*unused.front()));
  finding.what = unused.front()->stages.size() == 1 ? "Only the stage that computed the data ran with it"
                                                    : "Only the query that computed the data read it, once";
  for (size_t i = 0; i < std::min(unused.size(), kMaxNamedCaches); ++i) {
    finding.evidence +=
        fmt::format("{}{} in stage {}", i == 0 ? "" : "; ", NameOf(*unused[i]), unused[i]->stages.front());
  }
  for (const CachedRdd* rdd : unused) {
    finding.stages.insert(finding.stages.end(), rdd->stages.begin(), rdd->stages.end());
    AddCost(input, *rdd, &finding.claim);
  }
  finding.condition =
      "The application ended, and only one stage, or only the query that computed it, ran with an RDD or DataFrame "
      "that it had cached; not those of libraries";
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.stage = unused.front()->stages.front();
  finding.change = "Remove the cache() or persist() call: storing the rows costs time and takes memory from execution";
  return finding;
}

}  // namespace sparkprof
