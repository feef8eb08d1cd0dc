// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "analysis/time/timeline.h"

namespace sparkprof {

Table ConcurrencyTable(const Application& application) {
  const auto steps = std::make_shared<const std::vector<ConcurrencyStep>>(ConcurrencyOfAll(application));
  return {.name = "concurrency",
          .rows = steps->size(),
          .columns = {
              {"time", "time from which on this number of tasks ran", ColumnType::kTime, Visibility::kShown,
               [steps](size_t row) { return TimeCell((*steps)[row].time_ns); }, ColumnRole::kBegin},
              {"running", "running tasks", ColumnType::kInteger, Visibility::kShown,
               [steps](size_t row) { return Cell(int64_t{(*steps)[row].running}); }},
          }};
}

}  // namespace sparkprof
