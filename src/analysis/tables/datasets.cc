// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/datasets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <unordered_map>
#include <utility>

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
  return fmt::format("[{}]", fmt::join(both, ","));
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
  const auto rows = std::make_shared<const std::vector<DatasetRow>>(RowsOf(application));
  const auto text = [rows](std::string Dataset::*member) {
    return [rows, member](size_t row) { return TextCell((*rows)[row].use.dataset.*member); };
  };
  const auto list = [rows](std::string DatasetRow::*member) {
    return [rows, member](size_t row) { return Cell(std::string_view((*rows)[row].*member)); };
  };
  const auto count = [rows](std::set<int64_t> DatasetUse::*member) {
    return [rows, member](size_t row) { return Cell(static_cast<int64_t>(((*rows)[row].use.*member).size())); };
  };
  const auto sum = [rows](std::optional<int64_t> DatasetUse::*member) {
    return [rows, member](size_t row) { return OptionalCell((*rows)[row].use.*member); };
  };
  const auto time = [rows](int64_t DatasetRow::*member) {
    return [rows, member](size_t row) { return MillisCell((*rows)[row].*member); };
  };
  return {.name = "datasets",
          .rows = rows->size(),
          .columns = {
              {"namespace", kText, kShown, text(&Dataset::space)},
              {"name", kLongText, kShown, text(&Dataset::name)},
              {"table", kText, kShown, text(&Dataset::table)},
              {"format", kText, kShown, text(&Dataset::format)},
              {"reads", kInteger, kShown, count(&DatasetUse::read_by)},
              {"bytesRead", kBytes, kShown, sum(&DatasetUse::bytes_read)},
              {"filesRead", kInteger, kHidden, sum(&DatasetUse::files_read)},
              {"rowsRead", kInteger, kShown, sum(&DatasetUse::rows_read)},
              {"readRunTime", kMillis, kShown, time(&DatasetRow::read_run_ns)},
              {"writes", kInteger, kShown, count(&DatasetUse::written_by)},
              {"bytesWritten", kBytes, kShown, sum(&DatasetUse::bytes_written)},
              {"filesWritten", kInteger, kHidden, sum(&DatasetUse::files_written)},
              {"rowsWritten", kInteger, kShown, sum(&DatasetUse::rows_written)},
              {"writeRunTime", kMillis, kShown, time(&DatasetRow::write_run_ns)},
              {"sqlIds", kJson, kHidden, list(&DatasetRow::queries), ColumnRole::kSql},
              {"stageIds", kJson, kHidden, list(&DatasetRow::stages), ColumnRole::kStage},
          }};
}

}  // namespace sparkprof
