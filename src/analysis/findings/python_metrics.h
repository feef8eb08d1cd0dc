// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/application.h"

namespace sparkprof {

// Spark's own measurements of the Python workers of a stage's SQL operators; ns over all tasks. All 0 without them:
// RDDs, and Spark before 4.0.
struct PythonMetrics {
  int64_t start_ns = 0;       // to start or get a worker, and
  int64_t initialize_ns = 0;  // to read the functions and import their modules; with the idle time of a reused worker
  int64_t run_ns = 0;         // from the start to the end of the worker's part of a task, with both of the above
};

PythonMetrics PythonMetricsOf(const Application& application, const Stage& stage);

}  // namespace sparkprof
