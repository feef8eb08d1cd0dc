// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

struct ParquetColumn {
  std::string_view name;  // letters only
  bool is_text = false;   // otherwise a number
};

// The rows in a file of JSON lines as a Parquet file's bytes. Damaged lines are left out. Makes a temporary file beside
// `path`.
Result<std::string> JsonLinesToParquet(const std::string& path, const std::vector<ParquetColumn>& columns);

}  // namespace sparkprof
