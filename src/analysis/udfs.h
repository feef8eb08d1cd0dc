// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// A user's function in Python workers, and what it cost with all that it called.
struct UdfCost {
  std::string name;             // qualified, as Python says
  std::string file;             // as Python knows it
  int64_t line = 0;             // where it begins; 0 = unknown
  int32_t eval_type = 0;        // pyspark.util.PythonEvalType
  std::vector<int64_t> stages;  // ids, rising
  int64_t cpu_ns = 0;
  int64_t wall_ns = 0;
  int64_t samples = 0;
  std::optional<int64_t> rows;  // that it gave back, where a SQL plan tells
};

// "SQL_SCALAR_PANDAS_UDF", as PySpark names it; "EVAL_TYPE_999" for a number that it did not have up to 4.1.
std::string EvalTypeName(int32_t eval_type);

// All functions that workers were told to run, the most expensive first, those without a sample too. A sample counts
// for the outermost of them in its stack. Functions are told apart by name, file and first line; in a stack, where a
// frame's line is known only, by the last one that begins before it (two lambdas in one file).
std::vector<UdfCost> CostOfUdfs(const Application& application);

}  // namespace sparkprof
