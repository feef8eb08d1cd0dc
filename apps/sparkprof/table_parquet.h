// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/tables/table.h"
#include "base/result.h"

namespace sparkprof {

// Converts the table to Parquet with DuckDB's library. Fails in a build without the collector, which contains it.
Result<std::string> ParquetOf(const Table& table);

}  // namespace sparkprof
