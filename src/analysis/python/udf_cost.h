// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace sparkprof
