// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/plans/filtered_scan.h"

#include <fmt/format.h>

#include <string_view>

#include "analysis/findings/advice.h"
#include "analysis/plans/plan_text.h"

namespace sparkprof {
namespace {

bool IsFileScan(const PlanNode& node) {
  return KindOf(node) == "Scan" && node.text.find("PushedFilters: ") != std::string::npos;
}

}  // namespace

const PlanNode* ScanBelow(const PlanNode& filter) {
  const PlanNode* node = &filter;
  while (node->children.size() == 1) {
    node = &node->children.front();
    if (IsFileScan(*node)) return node;
    const std::string_view kind = KindOf(*node);
    if (kind != "ColumnarToRow" && kind != "Project" && kind != "InputAdapter" && kind != "WholeStageCodegen") break;
  }
  return nullptr;
}

int64_t RowsDropped(const PlanOperator& filter, const PlanNode& scan) {
  const int64_t read = ValueOf(scan, RowsMetricOf(scan)).value_or(0), kept = filter.rows_out.value_or(read);
  return read < kManyRowsRead || read / kFewKept < kept ? 0 : read - kept;
}

FilteredTable QueriesOfTable(const Application& application, const PlanNode& scan, const MeasureOfOperator& measure) {
  constexpr std::string_view kLocation = "Location: ";
  FilteredTable table;
  for (const SqlExecution& sql : application.sql_executions) {
    const size_t before = table.stages.size();
    for (const PlanOperator& one : OperatorsOf(sql.plan)) {
      if (measure(one) == 0) continue;
      if (FieldOf(ScanBelow(*one.plan)->text, kLocation) != FieldOf(scan.text, kLocation)) continue;
      table.stages.insert(table.stages.end(), one.stages.begin(), one.stages.end());
    }
    table.queries += table.stages.size() > before ? 1 : 0;
  }
  return table;
}

void PointAtQueries(const FilteredTable& table, Finding* finding) {
  if (table.queries < 2) return;
  finding->selection.sql.reset();
  finding->stages = table.stages;
  finding->evidence += fmt::format("; {} queries read it so", CountText(table.queries));
}

}  // namespace sparkprof
