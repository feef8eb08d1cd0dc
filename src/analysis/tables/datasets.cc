// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/datasets.h"

#include <set>
#include <unordered_map>

#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "analysis/time/stage_totals.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

struct DatasetRow {
  DatasetUse use;
  int64_t read_run_ns = 0, write_run_ns = 0;
  std::string queries, stages;  // JSON
};

std::string JsonOf(const std::set<int64_t>& a, const std::set<int64_t>& b) {
  std::set<int64_t> both = a;
  both.insert(b.begin(), b.end());
  return IdsJson(both);
}

std::vector<DatasetRow> RowsOf(const Application& application) {
  std::unordered_map<int64_t, int64_t> run_ns;  // by stage ID
  const std::vector<StageTotals> totals = TotalsOfStages(application);
  for (size_t row = 0; row < totals.size(); ++row) {
    AddSaturated(totals[row].sum[static_cast<size_t>(TaskMetric::kExecutorRunTime)],
                 &run_ns[application.stages[row].id]);
  }
  std::vector<DatasetRow> rows;
  for (DatasetUse& use : DatasetsOf(application)) {
    DatasetRow& row = rows.emplace_back();
    for (const int64_t stage : use.read_stages) AddSaturated(run_ns[stage], &row.read_run_ns);
    for (const int64_t stage : use.write_stages) AddSaturated(run_ns[stage], &row.write_run_ns);
    row.queries = JsonOf(use.read_by, use.written_by);
    row.stages = JsonOf(use.read_stages, use.write_stages);
    row.use = std::move(use);
  }
  return rows;
}

}  // namespace

Table DatasetsTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  using Row = DatasetRow;
  const auto of = CellsOf(RowsOf(application));
  const auto text = [&of](std::string Dataset::*member) {
    return of.Of([member](const Row& row) { return TextCell(row.use.dataset.*member); });
  };
  const auto count = [&of](std::set<int64_t> DatasetUse::*member) {
    return of.Of([member](const Row& row) { return static_cast<int64_t>((row.use.*member).size()); });
  };
  const auto sum = [&of](std::optional<int64_t> DatasetUse::*member) {
    return of.Of([member](const Row& row) { return OptionalCell(row.use.*member); });
  };
  return {
      .name = "datasets",
      .rows = of.Size(),
      .columns = {
          {"namespace", "namespace by the rules of OpenLineage: s3://lake, file; null for tables without a location",
           kText, kShown, text(&Dataset::space)},
          {"name", "path in the namespace, or name of the table", kLongText, kShown, text(&Dataset::name)},
          {"table", "name in the catalog", kText, kShown, text(&Dataset::table)},
          {"format", "format or provider: parquet, iceberg, …", kText, kShown, text(&Dataset::format)},
          {"reads", "SQL executions that read it", kInteger, kShown, count(&DatasetUse::read_by)},
          {"bytesRead", "bytes that its scans read; null if their metrics lack it", kBytes, kShown,
           sum(&DatasetUse::bytes_read)},
          {"filesRead", "files that its scans read", kInteger, kHidden, sum(&DatasetUse::files_read)},
          {"rowsRead", "rows that its scans returned", kInteger, kShown, sum(&DatasetUse::rows_read)},
          {"readRunTime", "run time of the tasks of stages that scan it", kMillis, kShown,
           of.Millis(&Row::read_run_ns)},
          {"writes", "SQL executions that write it", kInteger, kShown, count(&DatasetUse::written_by)},
          {"bytesWritten", "bytes written to it", kBytes, kShown, sum(&DatasetUse::bytes_written)},
          {"filesWritten", "files written to it", kInteger, kHidden, sum(&DatasetUse::files_written)},
          {"rowsWritten", "rows written to it", kInteger, kShown, sum(&DatasetUse::rows_written)},
          {"writeRunTime", "run time of all tasks of the SQL executions that write it", kMillis, kShown,
           of.Millis(&Row::write_run_ns)},
          {"sqlIds", "SQL executions that read or write it", kJson, kHidden, of.Text(&Row::queries), ColumnRole::kSql},
          {"stageIds", "stages that read or write it", kJson, kHidden, of.Text(&Row::stages), ColumnRole::kStage},
      }};
}

}  // namespace sparkprof
