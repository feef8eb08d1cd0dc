// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr int64_t kGood = int64_t{128} << 20;  // bytes per file

// From Spark's metrics, which Delta has, too, or from Iceberg's.
int64_t FilesOf(const PlanNode& scan) {
  return ValueOf(scan, "number of files read").value_or(ValueOf(scan, "number of result data files").value_or(0));
}
int64_t BytesOf(const PlanNode& scan) {
  return ValueOf(scan, "size of files read").value_or(ValueOf(scan, "total data file size (bytes)").value_or(0));
}

int64_t SmallFiles(const PlanOperator& one) {
  const int64_t files = FilesOf(*one.plan);
  return files >= kManyFiles && BytesOf(*one.plan) / files < kSmallFile ? files : 0;
}

// True if the query compacts files: it writes nearly all rows of a scan into far fewer files.
bool IsCompaction(const PlacedOperator& scan) {
  const std::vector<PlanOperator> operators = OperatorsOf(scan.sql->plan);
  // Range partitioning reads the rows twice, once to find the ranges.
  const bool has_ranges = std::ranges::any_of(
      operators, [](const PlanOperator& one) { return Contains(one.plan->text, "rangepartitioning"); });
  const int64_t read = scan.one.rows_out.value_or(0) / (has_ranges ? 2 : 1);
  for (const PlanOperator& one : operators) {
    const int64_t files = ValueOf(*one.plan, "number of written files").value_or(0);
    const int64_t rows = ValueOf(*one.plan, "number of output rows").value_or(0);
    if (files > 0 && files <= FilesOf(scan.node()) / 10 && read > 0 && rows >= read - read / 10) return true;
  }
  return false;
}

// Maximum time that the scan's tasks need to open files.
int64_t OpeningTime(const FindingInput& input, const PlacedOperator& scan) {
  constexpr int64_t kMaxNsPerFile = 5 * kNsPerFile;  // including the footer, without waits for a store
  int64_t time_ns = 0, wait_ns = 0;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const std::vector<int64_t>& stages = scan.one.stages;
    if (!Contains(stages, input.application.stages[row].id)) continue;
    const StageSummary& stage = input.stages[row];
    time_ns += stage.Total(TaskMetric::kDuration);
    wait_ns +=
        std::max<int64_t>(0, stage.Total(TaskMetric::kExecutorRunTime) - stage.Total(TaskMetric::kExecutorCpuTime));
  }
  return std::min(time_ns, FilesOf(scan.node()) * kMaxNsPerFile + wait_ns);
}

constexpr std::string_view kReadTemplate = "Reading File path: ";
constexpr std::string_view kSplitTemplate = "Input split: ";

constexpr double kMostOfWriting = 0.8;                   // share of writing time for opening and closing files
constexpr int64_t kGoodOutputFile = int64_t{128} << 20;  // bytes
constexpr int64_t kLongCommitNs = 1'000'000'000;         // per query
constexpr double kMuchCommit = 0.2;                      // share of the query's time

int64_t FilesWritten(const PlanNode& write) { return ValueOf(write, "number of written files").value_or(0); }
int64_t BytesWritten(const PlanNode& write) { return ValueOf(write, "written output").value_or(0); }
int64_t JobCommitTime(const PlanNode& write) { return ValueOf(write, "job commit time").value_or(0); }

int64_t SmallFilesWritten(const PlanOperator& one) {
  const int64_t files = FilesWritten(*one.plan);
  return files >= kManyFiles && BytesWritten(*one.plan) / files < kSmallFile ? files : 0;
}

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
    if (!Contains(stages, input.application.stages[row].id)) continue;
    const double share = std::clamp(ShareOutsideJvm(input.stages[row]), 0.0, 1.0);
    time_ns += Scaled(input.stages[row].wall_ns, share);
  }
  return time_ns;
}

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

std::string CompactAdvice(int64_t cores, int64_t bytes) {
  return fmt::format(
      "Compact the table into about {} files (repartition or coalesce before it is written, OPTIMIZE for Delta, "
      "rewrite_data_files for Iceberg), and write fewer files per run",
      std::max(cores, bytes / kGood));
}

std::optional<Finding> FindSmallFiles(const FindingInput& input) {
  const std::optional<PlacedOperator> scan = WorstOperator(input.application, SmallFiles);
  if (!scan || IsCompaction(*scan)) return std::nullopt;
  const int64_t files = FilesOf(scan->node()), bytes = BytesOf(scan->node()), each = bytes / files;
  const int64_t time_ns = TimeOfStages(input, scan->one.stages);
  const int64_t listing_ns = ValueOf(scan->node(), "metadata time").value_or(0);
  Finding finding;
  finding.title = fmt::format("A scan reads {} small files of {} on average", CountText(files), FormatBytes(each));
  finding.what = fmt::format("{} reads {} in {}", OperatorText(*scan), FormatBytes(bytes), Counted(files, "file"));
  finding.evidence = fmt::format("its stages take {}, a part of it to open files; listing them took {}",
                                 FormatDuration(time_ns), FormatDuration(listing_ns));
  finding.condition =
      fmt::format("A scan reads at least {} files with less than {} on average", kManyFiles, FormatBytes(kSmallFile));
  PointAt(*scan, &finding);
  finding.change = CompactAdvice(input.cores, bytes);
  const int64_t opening_ns = OpeningTime(input, *scan);
  const auto saved_ns = Scaled(opening_ns, 1 - Share(each, kSmallFile));
  finding.claim = ClaimStages(input, scan->one.stages, saved_ns / input.cores + listing_ns, kMost);
  return finding;
}

std::optional<Finding> FindSmallFilesInLogs(const FindingInput& input) {
  // A file that is read in several ranges is not small: the first one tells its files apart.
  static const re2::RE2 of_query(R"(Reading File path: .*, range: 0-(\d+), partition values)");
  static const re2::RE2 of_rdd(R"(Input split: .*:0\+(\d+))");
  if (!HasOnlyLogs(input.application)) return std::nullopt;
  int64_t files = 0, bytes = 0;
  const auto add = [&](std::string_view begin, const re2::RE2& pattern) {
    return ForEachRecord(input.application.logs, begin, [&](std::string_view text, int64_t) {
      int64_t end = 0;
      if (!re2::RE2::PartialMatch(text, pattern, &end)) return;
      ++files;
      bytes += end;
    });
  };
  const int64_t of_queries_ns = add(kReadTemplate, of_query), of_rdds_ns = add(kSplitTemplate, of_rdd);
  const int64_t span_ns = of_queries_ns + of_rdds_ns;
  if (files < kManyFiles || bytes / files >= kSmallFile) return std::nullopt;
  const int64_t each = bytes / files;
  Finding finding;
  finding.title = fmt::format("Scans read {} small files of {} on average", files, FormatBytes(each));
  finding.what = fmt::format("By their logs, tasks read {} files of {} in total", files, FormatBytes(bytes));
  finding.evidence = fmt::format("from the first to the last: {}", FormatDuration(span_ns));
  finding.condition = fmt::format("By text logs alone, scans read at least {} files with less than {} on average",
                                  kManyFiles, FormatBytes(kSmallFile));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = StagesThatLog(input.application, of_queries_ns > of_rdds_ns ? kReadTemplate : kSplitTemplate);
  finding.change = CompactAdvice(input.cores, bytes);
  const auto opening_ns = Scaled(span_ns, 1 - Share(each, kSmallFile));
  finding.claim = ClaimStages(input, finding.stages, opening_ns, kMost);
  return finding;
}

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
  finding.claim = ClaimWall(Scaled(job_commit_ns, saved), kMost);
  if (are_small) {
    const auto saved_ns = Scaled(files_ns, saved);
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
