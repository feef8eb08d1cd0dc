// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "catalogue/duckdb/duckdb_session.h"

namespace sparkprof {

// Conversion of catalogue entries from and to table rows.

ApplicationRow RowOf(const SqlChunk& rows, size_t row);

struct EntryAppenders {
  explicit EntryAppenders(DuckdbConnection* connection)
      : applications(connection, "applications"),
        stages(connection, "stages"),
        executors(connection, "executors"),
        findings(connection, "findings"),
        maxima(connection, "maxima"),
        totals(connection, "totals") {}
  Result<void> Finish() {
    Result<void> done;
    for (DuckdbAppender* table : {&applications, &stages, &executors, &findings, &maxima, &totals}) {
      if (done) done = table->Finish();
    }
    return done;
  }

  DuckdbAppender applications, stages, executors, findings, maxima, totals;
};

void AppendRow(int32_t entry, const ApplicationRow& row, DuckdbAppender* rows);
void AppendLists(int32_t entry, const CatalogueEntry& content, EntryAppenders* to);

}  // namespace sparkprof
