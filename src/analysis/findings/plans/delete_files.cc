// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyDeleteFiles = 50;
constexpr double kMuchScanPlanning = 0.3;  // share of the stages that read the table
constexpr int64_t kNsPerMilli = 1'000'000;

// Names of Iceberg's metrics.
int64_t DeleteFilesOf(const PlanNode& scan) { return ValueOf(scan, "number of result delete files").value_or(0); }
int64_t PlanningOf(const PlanNode& scan) {
  return ValueOf(scan, "total planning duration (ms)").value_or(0) * kNsPerMilli;
}

int64_t ManyDeleteFiles(const PlanOperator& one) {
  const int64_t files = DeleteFilesOf(*one.plan);
  return files >= kManyDeleteFiles ? files : 0;
}

int64_t LongPlanning(const PlanOperator& one) {
  const int64_t planning_ns = PlanningOf(*one.plan);
  return planning_ns >= kWorthwhileNs ? planning_ns : 0;
}

}  // namespace

std::optional<Finding> FindDeleteFiles(const FindingInput& input) {
  std::optional<PlacedOperator> scan = WorstOperator(input.application, ManyDeleteFiles);
  const bool has_deletes = scan.has_value();
  if (!has_deletes) scan = WorstOperator(input.application, LongPlanning);
  if (!scan) return std::nullopt;
  const int64_t files = DeleteFilesOf(scan->node()), planning_ns = PlanningOf(scan->node());
  const int64_t time_ns = TimeOfStages(input, scan->one.stages);
  if (!has_deletes && Share(planning_ns, time_ns) < kMuchScanPlanning) return std::nullopt;
  Finding finding;
  finding.title = has_deletes
                      ? fmt::format("A scan of an Iceberg table applies {} delete files", CountText(files))
                      : fmt::format("Planning a scan of an Iceberg table takes {}", FormatDuration(planning_ns));
  finding.what = fmt::format("{} reads {}, and {}", OperatorText(*scan),
                             Counted(ValueOf(scan->node(), "number of result data files").value_or(0), "data file"),
                             Counted(files, "delete file"));
  finding.evidence =
      fmt::format("planning the scan takes {}, its stages {}", FormatDuration(planning_ns), FormatDuration(time_ns));
  finding.condition = fmt::format(
      "A scan of an Iceberg table applies at least {} delete files, or its planning takes at least {} and {} of the "
      "time "
      "of its stages",
      kManyDeleteFiles, FormatDuration(kWorthwhileNs), FormatShare(kMuchScanPlanning));
  PointAt(*scan, &finding);
  finding.change = has_deletes ? "Rewrite the table's files: rewrite_data_files and rewrite_position_delete_files of "
                                 "Iceberg, after many updates"
                               : "Rewrite the table's metadata: rewrite_manifests and expire_snapshots of Iceberg, and "
                                 "filter by partition columns";
  // Deletes are applied to each row.
  finding.claim = has_deletes ? ClaimStages(input, scan->one.stages, time_ns, kSome) : ClaimWall(planning_ns, kHalf);
  return finding;
}

}  // namespace sparkprof
