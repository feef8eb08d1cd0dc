// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/plans/reader_jobs.h"
#include "analysis/findings/rules.h"
#include "analysis/plans/datasets.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyReads = 20;  // per folder and query

// "file:/data/extracts" for a scan of "file:/data/extracts/day_01.parquet"; empty for other scans.
std::string FolderOf(const PlanOperator& one) {
  const std::optional<Dataset> dataset = DatasetRead(one);
  if (!dataset || dataset->space.empty()) return {};
  const size_t slash = dataset->name.rfind('/');
  return slash == std::string::npos || slash == 0 ? std::string()
                                                  : TextOf({dataset->space, dataset->name.substr(0, slash)});
}

// A query's reads of different files in one folder; the folder with the most.
struct UnitedReads {
  std::string folder;
  int64_t count = 0;
};

UnitedReads ReadsOf(const std::vector<PlanOperator>& operators) {
  std::map<std::string, std::set<std::string>> files;
  UnitedReads most;
  const auto is_union = [](const PlanOperator& one) { return one.kind == "Union"; };
  if (std::none_of(operators.begin(), operators.end(), is_union)) return most;
  for (const PlanOperator& one : operators) {
    const std::string folder = FolderOf(one);
    if (folder.empty()) continue;
    files[folder].insert(DatasetRead(one)->name);
    const auto count = static_cast<int64_t>(files[folder].size());
    if (count > most.count) most = {folder, count};
  }
  return most;
}

}  // namespace

std::optional<Finding> FindUnitedFiles(const FindingInput& input) {
  UnitedReads worst;
  Finding finding;
  int64_t queries_ns = 0;
  for (const SqlExecution& sql : input.application.sql_executions) {
    const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
    const UnitedReads reads = ReadsOf(operators);
    if (reads.count < kManyReads || sql.end_ns <= sql.start_ns) continue;
    if (reads.count > worst.count) worst = reads;
    queries_ns += sql.end_ns - sql.start_ns;
    std::set<int64_t> stages;
    for (const PlanOperator& one : operators) stages.insert(one.stages.begin(), one.stages.end());
    finding.stages.insert(finding.stages.end(), stages.begin(), stages.end());
  }
  if (worst.count == 0) return std::nullopt;
  const int64_t stages_ns = TimeOfStages(input, finding.stages);
  // Each read has a separate job that infers the columns of its file.
  const ReaderJobs readers = SchemaJobsOf(input);
  const bool has_readers = 2 * readers.count >= worst.count;
  if (has_readers) finding.stages.insert(finding.stages.end(), readers.stages.begin(), readers.stages.end());
  const int64_t time_ns = std::max(queries_ns, stages_ns) + (has_readers ? readers.time_ns : 0);
  if (time_ns < kWorthwhileNs || Share(time_ns, input.duration_ns) < kMuchOfTime) return std::nullopt;
  finding.title = fmt::format("A query unites {} reads of files in one folder", CountText(worst.count));
  finding.what = fmt::format(
      "Each file of {} is read by a scan of its own, with a branch of the plan and a task or more", worst.folder);
  finding.evidence = fmt::format("the queries take {}", FormatDuration(queries_ns));
  if (has_readers)
    finding.evidence += fmt::format("; {} before them look at the columns of single files, for {}",
                                    Counted(readers.count, "job"), FormatDuration(readers.time_ns));
  finding.condition = fmt::format(
      "A query unites at least {} scans of different files in one folder, and it takes at "
      "least {} of the duration",
      kManyReads, FormatShare(kMuchOfTime));
  finding.selection.event = EventName(Event::kCpu);
  finding.frames = readers.lines;
  finding.change =
      "Read the folder, or a list of its files, at once: spark.read.parquet(folder) or parquet(*paths), with "
      "mergeSchema "
      "if columns differ. Take what the file's name says from _metadata.file_name";
  finding.claim = ClaimStages(input, finding.stages, time_ns, kMost);
  return finding;
}

}  // namespace sparkprof
