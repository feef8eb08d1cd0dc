// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string_view>

#include "analysis/findings/advice.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/plans/plan_values.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

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

// The number of a scan's files if they are many and small; otherwise 0.
int64_t SmallFiles(const PlanOperator& one) {
  const int64_t files = FilesOf(*one.plan);
  return files >= kManyFiles && BytesOf(*one.plan) / files < kSmallFile ? files : 0;
}

// True if the query compacts files: it writes nearly all rows of a scan into far fewer files.
bool IsCompaction(const PlacedOperator& scan) {
  const std::vector<PlanOperator> operators = OperatorsOf(scan.sql->plan);
  // Range partitioning reads the rows twice, once to find the ranges.
  const bool has_ranges = std::any_of(operators.begin(), operators.end(), [](const PlanOperator& one) {
    return one.plan->text.find("rangepartitioning") != std::string::npos;
  });
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
    if (std::find(stages.begin(), stages.end(), input.application.stages[row].id) == stages.end()) continue;
    const StageSummary& stage = input.stages[row];
    time_ns += stage.Total(TaskMetric::kDuration);
    wait_ns +=
        std::max<int64_t>(0, stage.Total(TaskMetric::kExecutorRunTime) - stage.Total(TaskMetric::kExecutorCpuTime));
  }
  return std::min(time_ns, FilesOf(scan.node()) * kMaxNsPerFile + wait_ns);
}

constexpr std::string_view kReadTemplate = "Reading File path: ";
constexpr std::string_view kSplitTemplate = "Input split: ";

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
  const auto saved_ns = static_cast<int64_t>(static_cast<double>(opening_ns) * (1 - Share(each, kSmallFile)));
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
  const auto opening_ns = static_cast<int64_t>(static_cast<double>(span_ns) * (1 - Share(each, kSmallFile)));
  finding.claim = ClaimStages(input, finding.stages, opening_ns, kMost);
  return finding;
}

}  // namespace sparkprof
