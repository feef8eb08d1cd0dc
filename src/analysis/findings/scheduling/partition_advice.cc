// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/scheduling/partition_advice.h"

#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr std::string_view kAdvisorySize = "spark.sql.adaptive.advisoryPartitionSizeInBytes";

std::vector<PlanOperator> OperatorsOfQuery(const Application& application, const Stage& stage) {
  const SqlExecution* const sql = ExecutionOfStage(application, stage);
  return sql == nullptr ? std::vector<PlanOperator>() : OperatorsOf(sql->plan);
}

// The call of the program that sets the stage's number of partitions: "repartition()", "coalesce()"; may be empty.
std::string_view CallWithNumber(const Application& application, const Stage& stage) {
  const std::string coalesced = fmt::format("Coalesce {}", stage.task_count);
  const std::string round_robin = fmt::format("RoundRobinPartitioning({})", stage.task_count);
  const std::string by_columns = fmt::format(", {})", stage.task_count);
  for (const PlanOperator& one : OperatorsOfQuery(application, stage)) {
    const std::string_view text = one.plan->text;
    if (one.kind == "Coalesce" && text.starts_with(coalesced)) return "coalesce()";
    if (!one.kind.ends_with("Exchange")) continue;
    const bool has_number = Contains(text, "REPARTITION_BY_NUM") && Contains(text, by_columns);
    if (has_number || Contains(text, round_robin)) return "repartition()";
  }
  return {};
}

bool ReadsFiles(const StageSummary& summary) {
  return summary.Total(TaskMetric::kInputBytes) > summary.Total(TaskMetric::kShuffleReadBytes);
}

bool ReadsShuffle(const StageSummary& summary) { return summary.Total(TaskMetric::kShuffleReadBytes) > 0; }

// True if adaptive execution merged the shuffle's partitions before the stage read them.
bool MergesPartitions(const Application& application, const Stage& stage) {
  return std::ranges::any_of(OperatorsOfQuery(application, stage), [](const PlanOperator& one) {
    return Contains(one.kind, "Shuffle") && Contains(one.plan->text, "coalesced");
  });
}

// True if tasks of a query read whole files: Spark divides files that it can split into a part for each core, but not
// below 4 MiB.
bool IsOfWholeFiles(const Application& application, const Stage& stage, const StageSummary& summary) {
  constexpr int64_t kSmallestPart = int64_t{4} << 20;
  const std::vector<PlanOperator> operators = OperatorsOfStage(application, stage);
  return stage.task_count < PeakCores(application) &&
         summary.Total(TaskMetric::kInputBytes) / std::max<int64_t>(1, stage.task_count) >= 4 * kSmallestPart &&
         std::ranges::any_of(operators, [](const PlanOperator& one) {
           return one.plan->text.starts_with("FileScan ") && !Contains(one.plan->text, "Bucketed: true");
         });
}

}  // namespace

bool HasWindowOfAllRows(const Application& application, const Stage& stage) {
  if (stage.task_count != 1) return false;
  bool has_window = false, is_single = false;
  for (const PlanOperator& one : OperatorsOfQuery(application, stage)) {
    has_window |= Contains(one.kind, "Window");
    is_single |= one.kind.ends_with("Exchange") && Contains(one.plan->text, "SinglePartition");
  }
  return has_window && is_single;
}

std::string MorePartitionsAdvice(const Application& application, const Stage& stage, const StageSummary& summary) {
  constexpr std::string_view kOneEach = ". Compressed files that cannot be split, such as .gz, are one partition each";
  if (const std::string_view call = CallWithNumber(application, stage); !call.empty())
    return fmt::format("a higher number in the {} before the stage", call);
  if (ReadsFiles(summary)) {
    if (IsOfWholeFiles(application, stage, summary))
      return "Spark cannot split the files, which are compressed (.gz), or read with the option multiLine or "
             "wholetext. Read them without the option, unless values have line breaks, or write them as more files; "
             "otherwise repartition() right after the read, which divides what follows";
    if (stage.sql_execution >= 0)
      return fmt::format("repartition() after the scan, a smaller spark.sql.files.maxPartitionBytes{}", kOneEach);
    return fmt::format(
        "repartition() after the scan, {}a higher minPartitions where an RDD is read{}",
        IsSparkAtLeast(application, 2, 0) ? "a smaller spark.sql.files.maxPartitionBytes for a DataFrame, or " : "or ",
        kOneEach);
  }
  if (stage.sql_execution < 0) {
    return ReadsShuffle(summary)
               ? "repartition() before the work, or a higher number in the operation that shuffles"
               : "repartition() before the work, or a higher number of partitions where the RDD is made (parallelize)";
  }
  std::string advice = "repartition() before the work";
  if (stage.task_count == 1) advice += ", no coalesce(1)";
  if (!ReadsShuffle(summary)) return advice + ", or more partitions where the rows are made";
  // Adaptive execution merges partitions down to one per core, but not below this size.
  if (MergesPartitions(application, stage) && IsSparkAtLeast(application, 3, 2)) {
    return advice +
           ", a smaller spark.sql.adaptive.coalescePartitions.minPartitionSize, or "
           "spark.sql.adaptive.coalescePartitions.enabled=false";
  }
  if (UsesAdaptiveExecution(application)) advice += fmt::format(", a smaller {}", kAdvisorySize);
  return advice + ", or a higher spark.sql.shuffle.partitions";
}

std::string FewerPartitionsAdvice(const FindingInput& input, const Stage& stage, const StageSummary& summary,
                                  int64_t wanted) {
  const Application& application = input.application;
  const std::string_view setting = WorkOf(input, stage).partitions;
  if (!setting.empty()) return fmt::format("Set {}={}", setting, wanted);
  const std::string use = fmt::format("Use about {} partitions: ", wanted);
  if (const std::string_view call = CallWithNumber(application, stage); !call.empty())
    return fmt::format("{}a lower number in the {} before the stage", use, call);
  if (ReadsFiles(summary)) {
    const bool is_table = stage.sql_execution >= 0 && IsSparkAtLeast(application, 2, 0);
    return use + (is_table ? "a larger spark.sql.files.maxPartitionBytes, or fewer, larger files"
                           : "fewer, larger files, or coalesce() after the read");
  }
  if (stage.sql_execution < 0)
    return use + "coalesce() before the stage, or a lower number in the operation that shuffles";
  if (!ReadsShuffle(summary)) return use + "coalesce() before the stage, or fewer partitions where the rows are made";
  if (UsesAdaptiveExecution(application))
    return fmt::format("Set spark.sql.shuffle.partitions={}, or a larger {}", wanted, kAdvisorySize);
  if (!IsSparkAtLeast(application, 3, 0)) return fmt::format("Set spark.sql.shuffle.partitions={}", wanted);
  return fmt::format(
      "Set spark.sql.adaptive.enabled=true, with which Spark merges small partitions, or use about {} of them by "
      "spark.sql.shuffle.partitions",
      wanted);
}

std::string SettingOfShufflePartitions(const Application& application, const Stage& stage, int64_t partitions) {
  if (stage.sql_execution < 0 || !CallWithNumber(application, stage).empty()) return {};
  if (MergesPartitions(application, stage)) return fmt::format("a smaller {}", kAdvisorySize);
  constexpr std::string_view kSetting = "spark.sql.shuffle.partitions";
  return partitions == 0 ? std::string(kSetting) : fmt::format("set {}={}", kSetting, partitions);
}

}  // namespace sparkprof
