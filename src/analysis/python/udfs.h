// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/python/udf_cost.h"
#include "model/application.h"

namespace sparkprof {

// "SQL_SCALAR_PANDAS_UDF", as in PySpark; "EVAL_TYPE_999" for a number that is unknown up to 4.1.
std::string EvalTypeName(int32_t eval_type);

// All functions of the workers, most expensive first, including those without samples. A sample counts for the
// outermost function in its stack. Functions differ by name, file and first line. A frame has only a current line, so
// it counts for the last function that starts before it (two lambdas in one file).
std::vector<UdfCost> CostOfUdfs(const Application& application);

// The sampled CPU time of all Python workers, to which functions' shares refer.
int64_t CpuOfPythonWorkers(const Application& application);

}  // namespace sparkprof
