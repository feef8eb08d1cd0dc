// SPDX-License-Identifier: Apache-2.0
#include "analysis/python/udfs.h"

#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "base/share.h"
#include "base/text/text.h"

namespace sparkprof {

Table UdfsTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto of = CellsOf(CostOfUdfs(application));
  const int64_t python_cpu_ns = CpuOfPythonWorkers(application);
  const auto share = of.Of([python_cpu_ns](const UdfCost& cost) {
    return python_cpu_ns <= 0 ? Cell() : Cell(Share(cost.cpu_ns, python_cpu_ns));
  });
  return {.name = "udfs",
          .rows = of.Size(),
          .columns =
              {
                  {"name", "name of the function", kText, kShown, of.Text(&UdfCost::name)},
                  {"cpuNs", "CPU time with all that it called, by samples", kNanos, kShown, of.Value(&UdfCost::cpu_ns)},
                  {"cpuShare", "cpuNs as a share of the sampled CPU time of all Python workers", kShare, kShown, share},
                  {"wallNs",
                   "wall-clock time with all that it called, by samples of the worker; a flame graph has the part for "
                   "which the JVM waits",
                   kNanos, kShown, of.Value(&UdfCost::wall_ns)},
                  {"samples", "samples of it", kInteger, kShown, of.Value(&UdfCost::samples)},
                  {"rows", "rows that it returned; null if no plan has them", kInteger, kShown,
                   of.Optional(&UdfCost::rows)},
                  {"evalType", "PySpark's type: SQL_BATCHED_UDF, SQL_SCALAR_PANDAS_UDF, …", kText, kShown,
                   of.MadeText([](const UdfCost& cost) { return EvalTypeName(cost.eval_type); })},
                  {"stages", "stages that ran it", kJson, kShown,
                   of.MadeText([](const UdfCost& cost) { return IdsJson(cost.stages); }), ColumnRole::kStage},
                  {"line", "first line of the function", kInteger, kShown, of.Value(&UdfCost::line)},
                  {"file", "file of the function", kLongText, kShown, of.Text(&UdfCost::file)},
              },
          .note = of.Size() == 0 ? std::string()
                                 : fmt::format("cpuShare is of the {} of sampled CPU time of the Python workers.\n",
                                               FormatDuration(python_cpu_ns))};
}

}  // namespace sparkprof
