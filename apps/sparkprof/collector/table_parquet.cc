// SPDX-License-Identifier: Apache-2.0
#include "table_parquet.h"

#include "catalogue/duckdb/duckdb_parquet.h"

namespace sparkprof {

Result<std::string> ParquetOf(const Table& table) { return TableToParquet(table); }

}  // namespace sparkprof
