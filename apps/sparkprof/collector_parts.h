// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/tables/table.h"
#include "base/result.h"

namespace sparkprof {

// Functions of the collector that other commands call.

// Event logs of the last runs of a job (fleet/fleet_result.h). Fails in a build without the collector.
Result<std::vector<std::string>> FindLogsOfJob(const std::string& folder, const std::string& job);

// Converts the table to Parquet with DuckDB's library. Fails in a build without the collector, which contains it.
Result<std::string> ParquetOf(const Table& table);

}  // namespace sparkprof
