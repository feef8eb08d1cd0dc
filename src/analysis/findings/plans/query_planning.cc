// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr size_t kManyOperators = 100;  // per plan; smaller plans are optimized and compiled quickly

// Times in which jobs run, merged where they overlap.
std::vector<std::pair<int64_t, int64_t>> JobTimes(const Application& application) {
  std::vector<std::pair<int64_t, int64_t>> times;
  for (const Job& job : application.jobs) {
    if (job.submit_ns > 0 && job.end_ns > job.submit_ns) times.emplace_back(job.submit_ns, job.end_ns);
  }
  std::ranges::sort(times);
  std::vector<std::pair<int64_t, int64_t>> joined;
  for (const auto& time : times) {
    if (joined.empty() || time.first > joined.back().second) {
      joined.push_back(time);
    } else {
      joined.back().second = std::max(joined.back().second, time.second);
    }
  }
  return joined;
}

// Time of a query without a running job, until its last job ends; a commit may follow.
int64_t TimeWithoutJobs(const SqlExecution& sql, const std::vector<std::pair<int64_t, int64_t>>& jobs) {
  int64_t from_ns = sql.start_ns, without_ns = 0;
  const auto first = std::lower_bound(jobs.begin(), jobs.end(), sql.start_ns,
                                      [](const auto& job, int64_t time_ns) { return job.second < time_ns; });
  for (auto job = first; job != jobs.end() && job->first < sql.end_ns; ++job) {
    without_ns += std::max<int64_t>(0, job->first - from_ns);
    from_ns = std::max(from_ns, job->second);
  }
  return without_ns;
}

int64_t BroadcastTime(const std::vector<PlanOperator>& operators) {
  int64_t time_ns = 0;
  for (const PlanOperator& one : operators) {
    if (one.kind != "BroadcastExchange") continue;
    for (const char* part : {"time to build", "time to broadcast"}) time_ns += ValueOf(*one.plan, part).value_or(0);
  }
  return time_ns;
}

}  // namespace

std::optional<Finding> FindQueryPlanning(const FindingInput& input) {
  const Application& application = input.application;
  // FindStreamOverhead handles the batches of streams.
  if (!application.streaming_queries.empty()) return std::nullopt;
  const std::vector<std::pair<int64_t, int64_t>> jobs = JobTimes(application);
  int64_t time_ns = 0, count = 0;
  size_t most_operators = 0, fewest_operators = 0;
  const SqlExecution* longest = nullptr;
  int64_t longest_ns = 0;
  for (const SqlExecution& sql : application.sql_executions) {
    if (sql.jobs.empty() || sql.end_ns <= sql.start_ns) continue;
    const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
    if (operators.size() < kManyOperators) continue;
    const int64_t planning_ns = std::max<int64_t>(0, TimeWithoutJobs(sql, jobs) - BroadcastTime(operators));
    time_ns += planning_ns;
    fewest_operators = count == 0 ? operators.size() : std::min(fewest_operators, operators.size());
    ++count;
    most_operators = std::max(most_operators, operators.size());
    if (planning_ns <= longest_ns) continue;
    longest_ns = planning_ns;
    longest = &sql;
  }
  const double share = Share(time_ns, input.duration_ns);
  if (longest == nullptr || time_ns < kWorthwhileNs || share < kMuchOfTime) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Planning large queries takes {} of the time: a plan has {} operators",
                              FormatShare(share), CountText(static_cast<int64_t>(most_operators)));
  finding.what =
      fmt::format("In {} with large plans no job runs for {}: the driver optimizes the plans and compiles their code",
                  count == 1 ? "a query" : fmt::format("{} queries", count), FormatDuration(time_ns));
  finding.evidence =
      fmt::format("query {} ({}) runs no job for {} of {}", longest->id, ShortCallSite(longest->description),
                  FormatDuration(longest_ns), FormatDuration(longest->end_ns - longest->start_ns));
  if (count > 1 && fewest_operators < most_operators)
    finding.evidence += fmt::format("; plans of {} to {} operators", fewest_operators, most_operators);
  finding.condition = fmt::format(
      "Queries with at least {} operators run no job for at least {} of the duration, without the building of "
      "broadcasts",
      kManyOperators, FormatShare(kMuchOfTime));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = "driver";
  finding.selection.from_ns = std::max<int64_t>(0, longest->start_ns - application.start_ns);
  finding.selection.to_ns = std::max<int64_t>(0, longest->end_ns - application.start_ns);
  finding.frames = {ShortCallSite(longest->description)};
  finding.change =
      "Keep plans small: in a loop that adds to a DataFrame, cut its plan with localCheckpoint() or checkpoint(), or "
      "write and read it, every few rounds; replace chains of withColumn() by one select(); cache what a query uses "
      "more than once";
  finding.claim = ClaimWall(time_ns, kMost);
  return finding;
}

}  // namespace sparkprof
