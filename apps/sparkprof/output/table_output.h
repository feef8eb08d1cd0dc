// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "analysis/tables/table.h"
#include "analysis/tables/table_query.h"
#include "base/result.h"

namespace sparkprof {

// Options of commands that print tables: which rows and columns, and how.
struct TableOutput {
  std::string where, sort, columns;
  int64_t limit = -1;
  bool json = false, csv = false, raw_csv = false, parquet = false;
  std::string output;  // file; its name determines the format

  void AddTo(CLI::App& command);

  // Resolves the format. Errors include the option's name.
  Result<TableQuery> Parse();
  bool IsText() const { return !json && !csv && !parquet; }
  bool IsStandardOutput() const { return output.empty() || output == "-"; }

  // Writes the table to the file or standard output; text is fitted to a terminal.
  Result<void> Write(const Table& table) const;
};

}  // namespace sparkprof
