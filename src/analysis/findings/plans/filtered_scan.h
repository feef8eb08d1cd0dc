// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/plans/plan_operator.h"

namespace sparkprof {

inline constexpr int64_t kManyRowsRead = 1'000'000;
inline constexpr int64_t kFewKept = 10;  // one row in so many

// The file scan below a filter, through nodes that change no rows; null if there is none.
const PlanNode* ScanBelow(const PlanNode& filter);

// The rows that a filter drops of those that its scan reads, if they are most of many; else 0.
int64_t RowsDropped(const PlanOperator& filter, const PlanNode& scan);

// The queries that filter one table, and the IDs of their stages that scan it.
struct FilteredTable {
  std::vector<int64_t> stages;
  int64_t queries = 0;
};

// A query counts if a filter of its plan has a `measure` that is not 0, above a scan of the same location. `measure`
// must be 0 for an operator without a scan below it.
FilteredTable QueriesOfTable(const Application& application, const PlanNode& scan, const MeasureOfOperator& measure);

// Makes a finding about one query one about all of them, if there are several.
void PointAtQueries(const FilteredTable& table, Finding* finding);

}  // namespace sparkprof
