// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analysis/findings/advice.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/plans/plan_values.h"
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/time/time_spent.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr double kMostOfWriting = 0.8;                   // share of writing time for opening and closing files
constexpr int64_t kGoodOutputFile = int64_t{128} << 20;  // bytes
constexpr int64_t kLongCommitNs = 1'000'000'000;         // per query
constexpr double kMuchCommit = 0.2;                      // share of the query's time

int64_t FilesWritten(const PlanNode& write) { return ValueOf(write, "number of written files").value_or(0); }
int64_t BytesWritten(const PlanNode& write) { return ValueOf(write, "written output").value_or(0); }
int64_t JobCommitTime(const PlanNode& write) { return ValueOf(write, "job commit time").value_or(0); }

// The number of a query's files if they are many and small; otherwise 0.
int64_t SmallFilesWritten(const PlanOperator& one) {
  const int64_t files = FilesWritten(*one.plan);
  return files >= kManyFiles && BytesWritten(*one.plan) / files < kSmallFile ? files : 0;
}

// The commit time of a query if it is long; otherwise 0.
int64_t LongCommit(const SqlExecution& sql, const PlanNode& write) {
  const int64_t commit_ns = JobCommitTime(write);
  return commit_ns >= kLongCommitNs && Share(commit_ns, sql.end_ns - sql.start_ns) >= kMuchCommit ? commit_ns : 0;
}

// The write with the most small files, otherwise the one with the longest commit.
std::optional<PlacedOperator> WorstWrite(const Application& application) {
  const std::optional<PlacedOperator> files = WorstOperator(application, SmallFilesWritten);
  if (files) return files;
  std::optional<PlacedOperator> worst;
  int64_t longest_ns = 0;
  for (const SqlExecution& sql : application.sql_executions) {
    for (PlanOperator& one : OperatorsOf(sql.plan)) {
      const int64_t commit_ns = LongCommit(sql, *one.plan);
      if (commit_ns <= longest_ns) continue;
      longest_ns = commit_ns;
      worst = {&sql, std::move(one)};
    }
  }
  return worst;
}

// Wall-clock time in which the tasks of these stages neither compute nor wait for anything that Spark measures: the
// file system creates and closes files.
int64_t TimeOfWaits(const FindingInput& input, const std::vector<int64_t>& stages) {
  if (!HasCpuTime(input.application)) return 0;
  int64_t time_ns = 0;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    if (std::find(stages.begin(), stages.end(), input.application.stages[row].id) == stages.end()) continue;
    const double share = std::clamp(ShareOutsideJvm(input.stages[row]), 0.0, 1.0);
    time_ns += static_cast<int64_t>(static_cast<double>(input.stages[row].wall_ns) * share);
  }
  return time_ns;
}

// The tasks of the last of these stages, which writes.
int64_t TasksThatWrite(const FindingInput& input, const std::vector<int64_t>& stages) {
  int64_t tasks = 0;
  for (const Stage& stage : input.application.stages) {
    if (!stages.empty() && stage.id == stages.back()) tasks = stage.task_count;
  }
  return tasks;
}

// Messages of which there is one for each file that a task begins to write. Other formats log none.
constexpr std::string_view kParquetWriter = "ParquetRecordWriter [block size";
constexpr std::string_view kOrcWriter = "ORC writer created for path";
constexpr int64_t kShortNs = 200 * kNanosPerMilli;  // task time per file; such a file cannot be large

}  // namespace

std::optional<Finding> FindManyOutputFiles(const FindingInput& input) {
  const std::optional<PlacedOperator> write = WorstWrite(input.application);
  if (!write) return std::nullopt;
  const PlanNode& node = write->node();
  const int64_t files = FilesWritten(node), bytes = BytesWritten(node);
  const int64_t folders = ValueOf(node, "number of dynamic part").value_or(0);
  const bool are_small = SmallFilesWritten(write->one) > 0;
  const int64_t job_commit_ns = JobCommitTime(node), task_commit_ns = ValueOf(node, "task commit time").value_or(0);
  const int64_t stages_ns = TimeOfStages(input, write->one.stages);
  Finding finding;
  finding.title = are_small ? fmt::format("A query writes {} small files of {} on average", CountText(files),
                                          FormatBytes(bytes / files))
                            : fmt::format("Committing the output of a query takes {}", FormatDuration(job_commit_ns));
  finding.what = fmt::format("{} writes {} in {}", OperatorText(*write), FormatBytes(bytes), Counted(files, "file"));
  if (folders > 0) finding.what += fmt::format(" of {}", Counted(folders, "partition"));
  finding.evidence =
      fmt::format("its stages take {}, task commits {} of task time, the job's commit {}", FormatDuration(stages_ns),
                  FormatDuration(task_commit_ns), FormatDuration(job_commit_ns));
  finding.condition = fmt::format(
      "A query writes at least {} files with less than {} on average, or the commit of its output takes at least {} "
      "and {} of the query's time",
      kManyFiles, FormatBytes(kSmallFile), FormatDuration(kLongCommitNs), FormatShare(kMuchCommit));
  PointAt(*write, &finding);
  // The folders have too few rows.
  const bool are_few_rows = folders > 0 && bytes / folders < kSmallFile;
  // The files of each task; without folders, those of buckets.
  const int64_t tasks = TasksThatWrite(input, write->one.stages);
  const int64_t parts = folders > 0 ? folders : tasks > 0 ? files / tasks : 0;
  // Each task has rows of many folders or buckets and writes a file into each.
  const bool are_spread = folders > 0 ? files >= 2 * folders : parts > 1;
  const int64_t wanted =
      std::max({are_few_rows && !are_spread ? 0 : parts, bytes / kGoodOutputFile, std::min(files, input.cores)});
  if (are_small && are_spread && folders == 0)
    finding.evidence += fmt::format("; {} files of each of {} tasks, as if each had rows of all buckets", parts, tasks);
  if (are_small) {
    constexpr char kFewer[] =
        "partition by fewer values (partitionBy), or sort or cluster the rows by that column instead";
    constexpr char kTogether[] =
        "repartition() by the columns of partitionBy() or bucketBy() before the write (DISTRIBUTE BY in SQL), so that "
        "one task has all rows of a partition or bucket";
    finding.change = fmt::format("Write about {} files: {}", CountText(wanted),
                                 are_spread     ? kTogether
                                 : are_few_rows ? kFewer
                                 : folders > 0  ? kTogether
                                                : "coalesce() or repartition() before the write");
    if (are_spread && folders == 0 && bytes / parts < kSmallFile) finding.change += ". Fewer buckets would do, too";
    if (are_spread && are_few_rows) finding.change += ". Partitioning by fewer values would make them fewer still";
  } else {
    finding.change =
        "Use a committer that does not rename files: the S3A magic or directory committer on S3, "
        "mapreduce.fileoutputcommitter.algorithm.version=2 on HDFS, or a table format (Delta, Iceberg)";
  }
  const auto opening_ns = static_cast<int64_t>(kMostOfWriting * static_cast<double>(stages_ns));
  const int64_t files_ns = std::min(
      opening_ns, std::max((files * kNsPerFile + task_commit_ns) / input.cores, TimeOfWaits(input, write->one.stages)));
  const double saved = are_small ? 1 - Share(wanted, files) : 1;
  finding.claim = ClaimWall(static_cast<int64_t>(static_cast<double>(job_commit_ns) * saved), kMost);
  if (are_small) {
    const auto saved_ns = static_cast<int64_t>(static_cast<double>(files_ns) * saved);
    finding.claim.stages = ClaimStages(input, write->one.stages, saved_ns, kMost).stages;
  }
  return finding;
}

std::optional<Finding> FindOutputFilesInLogs(const FindingInput& input) {
  if (!HasOnlyLogs(input.application)) return std::nullopt;
  int64_t parquet = 0, orc = 0;
  const int64_t parquet_ns =
      ForEachRecord(input.application.logs, kParquetWriter, [&](std::string_view, int64_t) { ++parquet; });
  const int64_t orc_ns = ForEachRecord(input.application.logs, kOrcWriter, [&](std::string_view, int64_t) { ++orc; });
  const bool is_parquet = parquet >= orc;
  const int64_t files = std::max(parquet, orc), span_ns = is_parquet ? parquet_ns : orc_ns;
  const int64_t each_ns = files == 0 ? 0 : span_ns / files * input.cores;
  if (files < kManyFiles || span_ns < kWorthwhileNs || each_ns > kShortNs) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Tasks write {} small files", CountText(files));
  finding.what = fmt::format("By their logs, tasks begin {} {} files, one every {} on each core", CountText(files),
                             is_parquet ? "Parquet" : "ORC", FormatDuration(each_ns));
  finding.evidence =
      fmt::format("from the first to the last: {}; text logs do not show their sizes", FormatDuration(span_ns));
  finding.condition = fmt::format(
      "By text logs alone, tasks begin to write at least {} Parquet or ORC files, with at most {} of task time for "
      "each",
      kManyFiles, FormatDuration(kShortNs));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = StagesThatLog(input.application, is_parquet ? kParquetWriter : kOrcWriter);
  finding.change =
      "Write fewer and larger files: partition by fewer values (partitionBy), or repartition() by the columns of "
      "partitionBy() before the write";
  finding.claim = ClaimStages(input, finding.stages, std::min(span_ns, files * kNsPerFile / input.cores), kMost);
  return finding;
}

}  // namespace sparkprof
