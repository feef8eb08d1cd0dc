// SPDX-License-Identifier: Apache-2.0
#include "collector_parts.h"

#include "catalogue/duckdb/duckdb_parquet.h"
#include "fleet/fleet_result.h"

namespace sparkprof {

Result<std::vector<std::string>> FindLogsOfJob(const std::string& folder, const std::string& job) {
  return LogsOfJob(folder, job);
}

Result<std::string> ParquetOf(const Table& table) { return TableToParquet(table); }

}  // namespace sparkprof
