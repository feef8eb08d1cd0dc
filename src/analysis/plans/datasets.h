// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"
#include "model/plan_operators.h"

namespace sparkprof {

// A table or path that queries use, with OpenLineage's names: {"s3://lake", "shop/orders"}, {"file", "/data/sales"}.
struct Dataset {
  std::string space;   // OpenLineage's namespace; empty if the plan has no location
  std::string name;    // path in the namespace; without a location, the table
  std::string table;   // name in the plan: "spark_catalog.shop.orders"; empty = none
  std::string format;  // "parquet"; empty = unknown
};

// "spark_catalog.shop.orders"; without a table, "s3://lake/shop/orders" or "/data/sales".
std::string TextOf(const Dataset& dataset);

// The dataset of a scan, or of a command that writes; nullopt for other operators.
std::optional<Dataset> DatasetRead(const PlanOperator& one);
std::optional<Dataset> DatasetWritten(const PlanOperator& one);

// The dataset at a location, "s3a://lake/shop/orders/day=2026-01-01", with its partition folders.
Dataset DatasetAt(std::string_view location);

// An application's use of a dataset. Sums of metrics are unknown if no scan or write has them.
struct DatasetUse {
  Dataset dataset;
  std::set<int64_t> read_by, written_by;  // IDs of SQL executions
  std::set<int64_t> read_stages,
      write_stages;  // stage IDs: those that scan it; all stages of the queries that write it
  std::optional<int64_t> rows_read, bytes_read, files_read;
  std::optional<int64_t> rows_written, bytes_written, files_written;
};

// Sorted by namespace and name. Cached data counts as read once.
std::vector<DatasetUse> DatasetsOf(const Application& application);

}  // namespace sparkprof
