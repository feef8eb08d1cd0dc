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
  std::string_view name;  // unquoted
  ParquetType type = ParquetType::kReal;
};

// Converts a file of JSON lines to Parquet and returns its bytes. Skips damaged lines. Writes a temporary file beside
// `path`.
Result<std::string> JsonLinesToParquet(const std::string& path, const std::vector<ParquetColumn>& columns);

// Converts the table to Parquet and returns its bytes. JSON becomes text, times become timestamps in UTC. Writes
// temporary files to the system's temporary folder.
Result<std::string> TableToParquet(const Table& table);

}  // namespace sparkprof
