// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"

namespace sparkprof {

struct DuckdbOptions {
  int64_t memory_bytes = int64_t{512} << 20;  // memory limit of DuckDB, which spills to PATH.tmp
  int threads = 2;
  int readers = 8;  // maximum number of concurrent queries
  // Maximum number of stacks in memory, about 30 bytes each.
  size_t max_stacks = 8'000'000;
};

enum class CatalogueProblem : uint8_t {
  kNone,
  kNoLibrary,  // libduckdb not found
  kInUse,      // locked by another process
  kNoAccess,   // no permission to open or create the file
  kUnusable,   // damaged or of another version; must be removed and rebuilt
};

// Opens or creates a catalogue in one file. One process owns it. `problem` may be null.
Result<std::unique_ptr<Catalogue>> OpenDuckdbCatalogue(const std::string& path, const DuckdbOptions& options = {},
                                                       CatalogueProblem* problem = nullptr);

// Exports the catalogue at `path` as Parquet files to the existing folder: applications, stages, executors, findings,
// series, stack_totals and stacks (docs/collector.md). The catalogue must not be open. Returns the files.
Result<std::vector<std::string>> ExportDuckdbCatalogue(const std::string& path, const std::string& folder);

// Removes the catalogue's files. It must not be open.
Result<void> RemoveDuckdbCatalogue(const std::string& path);

}  // namespace sparkprof
