// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/partition_advice.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr double kManyEmpty = 0.3;  // share of tasks
constexpr size_t kManyTasks = 10;

struct EmptyTasks {
  int64_t count = 0;
  int64_t time_ns = 0;
};

EmptyTasks EmptyTasksOf(const Tasks& tasks, const StageSummary& summary) {
  const MetricColumn &read = tasks.Column(TaskMetric::kInputRecords),
                     &fetched = tasks.Column(TaskMetric::kShuffleReadRecords),
                     &duration = tasks.Column(TaskMetric::kDuration);
  EmptyTasks empty;
  for (const uint32_t task : summary.tasks) {
    if (tasks.outcome[task] != TaskOutcome::kSucceeded || read[task] > 0 || fetched[task] > 0) continue;
    ++empty.count;
    empty.time_ns += duration[task];
  }
  return empty;
}

}  // namespace

std::optional<Finding> FindEmptyPartitions(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t fetched = summary.Total(TaskMetric::kShuffleReadRecords),
                records = fetched + summary.Total(TaskMetric::kInputRecords);
  if (records == 0 || summary.tasks.size() < kManyTasks) return std::nullopt;
  const EmptyTasks empty = EmptyTasksOf(input.application.tasks, summary);
  const auto count = static_cast<int64_t>(summary.tasks.size());
  const double share = Share(empty.count, count);
  const int64_t wall_ns = WallTimeOf(input, summary, empty.time_ns);
  if (share < kManyEmpty || wall_ns < kWorthwhileNs) return std::nullopt;
  Finding finding;
  const std::string tasks = fmt::format("{} of {} tasks get no record", CountText(empty.count), CountText(count));
  // Counts the tasks of all equal stages.
  finding.title = summary.group.size() > 1 ? tasks : fmt::format("Stage {}: {}", stage.id, tasks);
  finding.what = fmt::format("{} of the tasks of {} read nothing", FormatShare(share), StageText(input, stage));
  finding.evidence =
      fmt::format("they take {} of {} task time; the others read {} records", FormatDuration(empty.time_ns),
                  FormatDuration(summary.Total(TaskMetric::kDuration)), CountText(records));
  finding.condition = fmt::format(
      "At least {} of at least {} tasks of a stage that reads records read none, and take at least {} of its time",
      FormatShare(kManyEmpty), kManyTasks, FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kWall);
  if (fetched == 0) {
    finding.change =
        "Divide the source by its data: bounds of a JDBC source (lowerBound, upperBound) that match the column's "
        "values, larger splits (spark.sql.files.maxPartitionBytes), or coalesce() after a filter that leaves little";
  } else if (WorkOf(input, stage).partitions.empty()) {
    finding.change =
        "Use fewer partitions than the shuffle has keys: lower spark.sql.shuffle.partitions or the number given to "
        "repartition(), or let adaptive execution join small partitions "
        "(spark.sql.adaptive.coalescePartitions.enabled=true)";
  } else {
    finding.change = FewerPartitionsAdvice(input, stage, summary, input.cores);
  }
  finding.claim = ClaimTasks(input, summary, empty.time_ns, kMost);
  return finding;
}

}  // namespace sparkprof
