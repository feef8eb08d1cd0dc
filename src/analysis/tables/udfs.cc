// SPDX-License-Identifier: Apache-2.0
#include "analysis/python/udfs.h"

#include <fmt/format.h>

#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "base/text/text.h"

namespace sparkprof {

Table UdfsTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto costs = std::make_shared<const std::vector<UdfCost>>(CostOfUdfs(application));
  const auto made = [costs](auto make) {
    return TextCells(costs->size(), [costs, make](size_t row) { return make((*costs)[row]); });
  };
  const auto number = [costs](int64_t UdfCost::*member) {
    return [costs, member](size_t row) { return Cell((*costs)[row].*member); };
  };
  const auto text = [costs](std::string UdfCost::*member) {
    return [costs, member](size_t row) { return TextCell((*costs)[row].*member); };
  };
  const int64_t python_cpu_ns = CpuOfPythonWorkers(application);
  const auto share = [costs, python_cpu_ns](size_t row) {
    if (python_cpu_ns <= 0) return Cell();
    return Cell(static_cast<double>((*costs)[row].cpu_ns) / static_cast<double>(python_cpu_ns));
  };
  return {.name = "udfs",
          .rows = costs->size(),
          .columns =
              {
                  {"name", "name of the function", kText, kShown, text(&UdfCost::name)},
                  {"cpuNs", "CPU time with all that it called, by samples", kNanos, kShown, number(&UdfCost::cpu_ns)},
                  {"cpuShare", "cpuNs as a share of the sampled CPU time of all Python workers", kShare, kShown, share},
                  {"wallNs",
                   "wall-clock time with all that it called, by samples of the worker; a flame graph has the part for "
                   "which the JVM waits",
                   kNanos, kShown, number(&UdfCost::wall_ns)},
                  {"samples", "samples of it", kInteger, kShown, number(&UdfCost::samples)},
                  {"rows", "rows that it returned; null if no plan has them", kInteger, kShown,
                   [costs](size_t row) { return OptionalCell((*costs)[row].rows); }},
                  {"evalType", "PySpark's type: SQL_BATCHED_UDF, SQL_SCALAR_PANDAS_UDF, …", kText, kShown,
                   made([](const UdfCost& cost) { return EvalTypeName(cost.eval_type); })},
                  {"stages", "stages that ran it", kJson, kShown,
                   made([](const UdfCost& cost) { return IdsJson(cost.stages); }), ColumnRole::kStage},
                  {"line", "first line of the function", kInteger, kShown, number(&UdfCost::line)},
                  {"file", "file of the function", kLongText, kShown, text(&UdfCost::file)},
              },
          .note = costs->empty() ? std::string()
                                 : fmt::format("cpuShare is of the {} of sampled CPU time of the Python workers.\n",
                                               FormatDuration(python_cpu_ns))};
}

}  // namespace sparkprof
