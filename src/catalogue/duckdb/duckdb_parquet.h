// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/tables/table.h"
#include "base/result.h"

namespace sparkprof {

enum class ParquetType : uint8_t { kText, kInteger, kReal, kBoolean, kTimeMillis };

struct ParquetColumn {
  std::string_view name;  // without quotes
  ParquetType type = ParquetType::kReal;
};

// The rows in a file of JSON lines as a Parquet file's bytes. Damaged lines are left out. Makes a temporary file beside
// `path`.
Result<std::string> JsonLinesToParquet(const std::string& path, const std::vector<ParquetColumn>& columns);

// The table as a Parquet file's bytes; JSON is text, times are timestamps in UTC. Makes temporary files in the folder
// for them.
Result<std::string> TableToParquet(const Table& table);

}  // namespace sparkprof
