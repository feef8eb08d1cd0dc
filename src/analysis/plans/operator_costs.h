// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/plans/operator_join.h"
#include "model/application.h"

namespace sparkprof {

// An elapsed time that Spark or its engine measured for an operator, and the wall-clock samples of the same code with
// all that it called, in proportion to the run time of each task; its CPU samples where there are no others.
struct MeasuredTime {
  std::string_view metric;  // "sort time", "op time"
  int64_t metric_ns = 0;
  std::optional<int64_t> sampled_ns;  // unknown for engines
};

// The own cost of an operator, over all tasks. Operators below or above it do not count. CPU time is what was sampled
// as CPU time; the elapsed times that Spark and its engines measure are not CPU time and can exceed the application's.
struct OperatorCost {
  std::optional<int64_t> cpu_ns;  // of the JVM and of Python workers, by samples
  // Time in which neither the task's thread nor its Python worker ran; without samples, Spark's fetch wait time.
  std::optional<int64_t> wait_ns;
  std::optional<int64_t> elapsed_ns;  // measured by Spark, without what it measured below in the same pipeline
  std::optional<int64_t> gpu_ns;      // measured by RAPIDS
  std::optional<int64_t> native_ns;   // measured by a native engine: Photon, Comet, Auron, Gluten
  // Measured with operators below it: conversions of rows that read Spark's rows, broadcasts that run their jobs.
  std::optional<int64_t> inclusive_ns;
  std::vector<MeasuredTime> measured;
};

struct OperatorCosts {
  std::vector<SqlOperator> operators;  // of all SQL executions, in preorder
  std::vector<OperatorCost> costs;     // one for each
  int64_t cpu_ns = 0;                  // of the samples of all tasks of SQL executions
  int64_t unassigned_cpu_ns = 0;       // of cpu_ns: no operator's code
};

// The samples should be merged (stitch.h): operators that run Python functions have the CPU time of their workers.
OperatorCosts CostOfOperators(const Application& application);

}  // namespace sparkprof
