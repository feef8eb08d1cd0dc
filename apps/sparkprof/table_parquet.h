// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/tables/table.h"
#include "base/result.h"

namespace sparkprof {

// The table as a Parquet file's bytes, by DuckDB's library. Fails in a build without the collector, which has it.
Result<std::string> ParquetOf(const Table& table);

}  // namespace sparkprof
