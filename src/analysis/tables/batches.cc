// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "analysis/time/batch_comparison.h"

namespace sparkprof {
namespace {

std::string_view PartName(BatchDifference::Part part) {
  if (part == BatchDifference::Part::kBatch) return "batch";
  return part == BatchDifference::Part::kPhase ? "phase" : "stage";
}

struct Row {
  const BatchComparison* comparison;
  const BatchDifference* difference;
};

}  // namespace

Table BatchesTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto comparisons = std::make_shared<const std::vector<BatchComparison>>(CompareBatches(application));
  const auto rows = std::make_shared<std::vector<Row>>();
  for (const BatchComparison& comparison : *comparisons) {
    for (const BatchDifference& difference : comparison.differences) rows->push_back({&comparison, &difference});
  }
  const auto of_query = [rows, comparisons](std::string StreamingQuery::*member) {
    return [rows, comparisons, member](size_t row) { return TextCell((*rows)[row].comparison->query->*member); };
  };
  const auto batch_id = [rows, comparisons](const StreamingBatch* BatchComparison::*member) {
    return [rows, comparisons, member](size_t row) { return IdCell(((*rows)[row].comparison->*member)->id); };
  };
  const auto of = [rows, comparisons](auto cell) {
    return [rows, comparisons, cell](size_t row) { return Cell(cell(*(*rows)[row].difference)); };
  };
  Table table{.name = "batches", .rows = rows->size(), .columns = {}};
  table.columns = {
      {"name", "name of the query", kText, kShown, of_query(&StreamingQuery::name)},
      {"runId", "ID of this run of the query", kText, kHidden, of_query(&StreamingQuery::run_id)},
      {"batchId", "its slowest batch", kInteger, kShown, batch_id(&BatchComparison::slowest)},
      {"medianBatchId", "its batch of median duration", kInteger, kShown, batch_id(&BatchComparison::median)},
      {"part", "batch, phase or stage", kText, kShown,
       of([](const BatchDifference& one) { return PartName(one.part); })},
      {"stageId", "stage of the slowest batch, if the row is of a stage", kInteger, kShown,
       of([](const BatchDifference& one) { return IdCell(one.stage); }), ColumnRole::kStage},
      {"stageName", "name of the stage", kText, kHidden,
       of([](const BatchDifference& one) { return TextCell(one.stage_name); })},
      {"metric", "what the numbers measure", kText, kShown,
       of([](const BatchDifference& one) { return std::string_view(one.name); })},
      {"unit", "unit of the numbers", kText, kHidden,
       of([](const BatchDifference& one) { return std::string_view(one.unit); })},
      {"slowest", "number of the slowest batch", kByUnit, kShown,
       of([](const BatchDifference& one) { return one.slowest; })},
      {"median", "number of the median batch; null if it lacks the stage", kByUnit, kShown,
       of([](const BatchDifference& one) { return OptionalCell(one.median); })},
      {"difference", "slowest minus median", kByUnit, kShown,
       of([](const BatchDifference& one) { return one.Excess(); })},
  };
  return table;
}

}  // namespace sparkprof
