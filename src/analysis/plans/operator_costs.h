// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/plans/operator_join.h"
#include "model/application.h"

namespace sparkprof {

// An elapsed time that Spark or its engine measured for an operator, and the wall-clock samples of the same code
// including callees, scaled to the run time of each task; CPU samples if there are no others.
struct MeasuredTime {
  std::string_view metric;  // "sort time", "op time"
  int64_t metric_ns = 0;
  std::optional<int64_t> sampled_ns;  // nullopt for engines
};

// An operator's own cost over all tasks, without operators below or above. CPU time comes from samples; the elapsed
// times measured by Spark and its engines are not CPU time and can exceed the application's.
struct OperatorCost {
  std::optional<int64_t> cpu_ns;  // JVM and Python workers, from samples
  // Time in which neither the task's thread nor its Python worker was running; without samples, Spark's fetch wait
  // time.
  std::optional<int64_t> wait_ns;
  std::optional<int64_t> elapsed_ns;  // measured by Spark, without times measured below in the same pipeline
  std::optional<int64_t> gpu_ns;      // measured by RAPIDS
  std::optional<int64_t> native_ns;   // measured by a native engine: Photon, Comet, Auron, Gluten
  // Measured including operators below: conversions that read Spark's rows, broadcasts that run their jobs.
  std::optional<int64_t> inclusive_ns;
  std::vector<MeasuredTime> measured;
};

struct OperatorCosts {
  std::vector<SqlOperator> operators;  // all SQL executions, in preorder
  std::vector<OperatorCost> costs;     // parallel to `operators`
  int64_t cpu_ns = 0;                  // samples of all tasks of SQL executions
  int64_t unassigned_cpu_ns = 0;       // part of cpu_ns that is no operator's code
};

// The samples should be merged (stitch.h), so that operators with Python functions include the CPU time of their
// workers.
OperatorCosts CostOfOperators(const Application& application);

}  // namespace sparkprof
