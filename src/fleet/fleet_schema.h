// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "catalogue/duckdb/duckdb_parquet.h"

namespace sparkprof {

struct FleetColumn {
  ParquetColumn column;
  std::string_view meaning;  // for docs/fleet-schema.md, which a test compares
  std::string_view source =
      {};  // the column of the table of `sparkprof show` that has the value; empty = fleet_rows.cc
};

// A table of the result of `sparkprof fleet analyze`. Rows also have the column "date", which names the partition.
struct FleetTable {
  std::string_view name;
  std::string_view meaning;
  std::span<const FleetColumn> columns;
};

std::span<const FleetTable> FleetTables();

// Null for an unknown name.
const FleetTable* FindFleetTable(std::string_view name);

}  // namespace sparkprof
