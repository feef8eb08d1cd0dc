// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// A user function in Python workers, with its cost including everything it called.
struct UdfCost {
  std::string name;             // qualified name in Python
  std::string file;             // file name in Python
  int64_t line = 0;             // first line; 0 = unknown
  int32_t eval_type = 0;        // pyspark.util.PythonEvalType
  std::vector<int64_t> stages;  // stage IDs, ascending
  int64_t cpu_ns = 0;
  int64_t wall_ns = 0;
  int64_t samples = 0;
  std::optional<int64_t> rows;  // returned rows if known from the SQL plan
};

// "score (job.py:12)"; only its name if its line is unknown.
std::string LabelOf(const UdfCost& udf);

// "SQL_SCALAR_PANDAS_UDF", as in PySpark; "EVAL_TYPE_999" for a number that is unknown up to 4.1.
std::string EvalTypeName(int32_t eval_type);

// All functions of the workers, most expensive first, including those without samples. A sample counts for the
// outermost function in its stack. Functions differ by name, file and first line. A frame has only a current line, so
// it counts for the last function that starts before it (two lambdas in one file).
std::vector<UdfCost> CostOfUdfs(const Application& application);

// The sampled CPU time of all Python workers, to which functions' shares refer.
int64_t CpuOfPythonWorkers(const Application& application);

// Sets UdfCost::rows from the SQL plans: "number of output rows" of the nodes that ran the function, by node type,
// stage and the function's name in the node's text. Unset if several functions of this name are possible, or without a
// plan (functions of RDDs).
void FillRows(const Application& application, std::vector<UdfCost>* costs);

}  // namespace sparkprof
