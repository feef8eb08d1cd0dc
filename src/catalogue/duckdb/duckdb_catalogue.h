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
  int64_t memory_bytes = int64_t{512} << 20;  // of DuckDB; beyond it, work goes to PATH.tmp
  int threads = 2;
  int readers = 8;  // that many questions are answered at once
  // Stacks of all applications, held in memory: about 30 bytes for each.
  size_t max_stacks = 8'000'000;
};

// Why a catalogue cannot be opened.
enum class CatalogueProblem : uint8_t {
  kNone,
  kNoLibrary,  // libduckdb is missing
  kInUse,      // another process has the file
  kNoAccess,   // the system refuses to open or create the file
  kUnusable,   // damaged, or of another version: remove and rebuild it
};

// A catalogue in one file, which is created if need be. One process owns it. `problem` may be null.
Result<std::unique_ptr<Catalogue>> OpenDuckdbCatalogue(const std::string& path, const DuckdbOptions& options = {},
                                                       CatalogueProblem* problem = nullptr);

// Writes the catalogue at `path` as Parquet files into the existing folder: applications, stages, executors, findings,
// series, stack_totals and stacks (docs/collector.md). The catalogue must not be open. Returns the files.
Result<std::vector<std::string>> ExportDuckdbCatalogue(const std::string& path, const std::string& folder);

// Removes the catalogue's files; it must not be open.
Result<void> RemoveDuckdbCatalogue(const std::string& path);

}  // namespace sparkprof
