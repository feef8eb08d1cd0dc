// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/tables/table.h"
#include "base/result.h"
#include "inputs/server_options.h"

namespace sparkprof {

// Functions of the collector that other commands call.

// Event logs of the last runs of a job (fleet/fleet_result.h). Fails in a build without the collector.
Result<std::vector<std::string>> FindLogsOfJob(const std::string& folder, const std::string& job);

// Converts the table to Parquet with DuckDB's library. Fails in a build without the collector, which contains it.
Result<std::string> ParquetOf(const Table& table);

// A job that is about to start (docs/auto.md).
struct AutoQuestion {
  std::string folder;                      // has the last runs; empty = the collector has them
  std::string policy;                      // file, for a folder
  CollectorOptions collector;              // for its own answer
  std::string group;                       // empty = unknown before the job starts
  bool is_on = false;                      // else only if the collector's configuration of the group has auto=on
  std::map<std::string, std::string> own;  // Spark's settings, as far as they are known
};

struct AutoAnswer {
  bool is_on = false;
  std::string text;     // the decision with its reason, or why the job keeps its own settings
  int64_t version = 0;  // 0 = the job's own settings
  std::vector<std::pair<std::string, std::string>> settings;  // replace the job's own
};

// Settings of Spark for the job's next run, by its last ones. Fails for an invalid policy, and in a build without the
// collector; any other problem is the answer's text.
Result<AutoAnswer> AskForSettings(const AutoQuestion& question);

}  // namespace sparkprof
