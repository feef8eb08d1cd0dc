// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analysis/call_site.h"
#include "analysis/findings/plan_walk.h"
#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyRowsRead = 1'000'000;
constexpr int64_t kFewKept = 10;  // one row in so many
constexpr char kOutputRows[] = "number of output rows";

bool IsFileScan(const PlanNode& node) {
  return node.name.starts_with("Scan ") && node.text.find("PushedFilters: ") != std::string::npos;
}

bool HasNoFilter(const PlanNode& scan) {
  return scan.text.find("PushedFilters: []") != std::string::npos &&
         (scan.text.find("PartitionFilters: []") != std::string::npos ||
          scan.text.find("PartitionFilters: ") == std::string::npos);
}

// The scan below a filter, through nodes that change no rows; null if there is none.
const PlanNode* ScanBelow(const PlanNode& filter) {
  const PlanNode* node = &filter;
  while (node->children.size() == 1) {
    node = &node->children.front();
    if (IsFileScan(*node)) return node;
    if (node->name != "ColumnarToRow" && node->name != "Project" && !node->name.starts_with("InputAdapter") &&
        !node->name.starts_with("WholeStageCodegen")) {
      break;
    }
  }
  return nullptr;
}

struct FullScan {
  const SqlExecution* sql = nullptr;
  const PlanNode* scan = nullptr;
  const PlanNode* filter = nullptr;
  int64_t rows_read = 0;
  int64_t rows_kept = 0;
};

// The one that reads the most rows in vain.
FullScan WorstFullScan(const Application& application) {
  FullScan worst;
  for (const SqlExecution& sql : application.sql_executions) {
    ForEachNode(sql.plan, [&](const PlanNode& node) {
      if (node.name != "Filter") return;
      const PlanNode* const scan = ScanBelow(node);
      if (scan == nullptr || !HasNoFilter(*scan)) return;
      const int64_t read = MetricOf(*scan, kOutputRows).value_or(0), kept = MetricOf(node, kOutputRows).value_or(read);
      if (read < kManyRowsRead || read / kFewKept < kept || read - kept <= worst.rows_read - worst.rows_kept) return;
      worst = {&sql, scan, &node, read, kept};
    });
  }
  return worst;
}

}  // namespace

std::optional<Finding> FindUnpushedFilters(const FindingInput& input) {
  const FullScan worst = WorstFullScan(input.application);
  if (worst.scan == nullptr) return std::nullopt;
  const int64_t time_ns = TimeOfStages(input, worst.scan->stages);
  Finding finding;
  finding.title = fmt::format("A scan reads {} rows for {} that a filter keeps", worst.rows_read, worst.rows_kept);
  finding.confidence = 0.6;
  finding.what =
      fmt::format("{} of SQL execution {} ({}) reads the whole table, because no filter was pushed down to it",
                  worst.scan->name, worst.sql->id, ShortCallSite(worst.sql->description));
  finding.evidence = fmt::format("{:.200}", worst.filter->text);
  if (time_ns > 0) finding.evidence += fmt::format("; its stages take {}", FormatDuration(time_ns));
  finding.condition = fmt::format(
      "A scan without pushed and partition filters reads at least {} rows, and a filter keeps at most one in {}",
      kManyRowsRead, kFewKept);
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.sql = worst.sql->id;
  finding.stages = worst.scan->stages;
  if (!worst.sql->description.empty()) finding.frames = {ShortCallSite(worst.sql->description)};
  finding.change =
      "Compare the column itself with a value of its type: a function, a cast or a UDF on the column prevents pushing "
      "the "
      "filter down. Partition or sort the table by the column, and store it as Parquet or ORC";
  finding.gain_ns = time_ns / 2;  // how many row groups a pushed filter skips is unknown
  finding.gain_low = 0.2;
  finding.gain_high = 1.8;
  finding.severity = std::min(Severity::kMedium, SeverityOf(finding.gain_ns, input.duration_ns));
  return finding;
}

}  // namespace sparkprof
