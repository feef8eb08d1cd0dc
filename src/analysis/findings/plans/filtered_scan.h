// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/plans/plan_operator.h"

namespace sparkprof {

inline constexpr int64_t kManyRowsRead = 1'000'000;
inline constexpr int64_t kFewKept = 10;  // at most one row in this many

// The file scan below a filter, through nodes that do not change rows; null if there is none.
const PlanNode* ScanBelow(const PlanNode& filter);

// The rows that a filter drops if they are most of the many rows that its scan reads; otherwise 0.
int64_t RowsDropped(const PlanOperator& filter, const PlanNode& scan);

// The queries that filter one table, and the IDs of their stages that scan it.
struct FilteredTable {
  std::vector<int64_t> stages;
  int64_t queries = 0;
};

// Counts queries in which a filter above a scan of the same location has a nonzero `measure`. `measure` must return 0
// for operators without a scan below them.
FilteredTable QueriesOfTable(const Application& application, const PlanNode& scan, const MeasureOfOperator& measure);

// Extends a finding about one query to all of them.
void PointAtQueries(const FilteredTable& table, Finding* finding);

}  // namespace sparkprof
