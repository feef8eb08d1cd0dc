// SPDX-License-Identifier: Apache-2.0
#include "analysis/python/udfs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "base/text.h"

namespace sparkprof {

Table UdfsTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto costs = std::make_shared<const std::vector<UdfCost>>(CostOfUdfs(application));
  const auto stages = std::make_shared<std::vector<std::string>>();
  const auto kinds = std::make_shared<std::vector<std::string>>();
  for (const UdfCost& cost : *costs) {
    stages->push_back(fmt::format("[{}]", fmt::join(cost.stages, ",")));
    kinds->push_back(EvalTypeName(cost.eval_type));
  }
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
                  {"name", kText, kShown, text(&UdfCost::name)},
                  {"cpuNs", kNanos, kShown, number(&UdfCost::cpu_ns)},
                  {"cpuShare", kShare, kShown, share},
                  {"wallNs", kNanos, kShown, number(&UdfCost::wall_ns)},
                  {"samples", kInteger, kShown, number(&UdfCost::samples)},
                  {"rows", kInteger, kShown, [costs](size_t row) { return OptionalCell((*costs)[row].rows); }},
                  {"evalType", kText, kShown, TextCells(kinds)},
                  {"stages", kJson, kShown, TextCells(stages), ColumnRole::kStage},
                  {"line", kInteger, kShown, number(&UdfCost::line)},
                  {"file", kLongText, kShown, text(&UdfCost::file)},
              },
          .note = costs->empty() ? std::string()
                                 : fmt::format("cpuShare is of the {} of sampled CPU time of the Python workers.\n",
                                               FormatDuration(python_cpu_ns))};
}

}  // namespace sparkprof
