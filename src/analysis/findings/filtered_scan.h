// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/plan_operators.h"

namespace sparkprof {

inline constexpr int64_t kManyRowsRead = 1'000'000;
inline constexpr int64_t kFewKept = 10;  // one row in so many

// The file scan below a filter, through nodes that change no rows; null if there is none.
const PlanNode* ScanBelow(const PlanNode& filter);

// The rows that a filter drops of those that its scan reads, if they are most of many; else 0.
int64_t RowsDropped(const PlanOperator& filter, const PlanNode& scan);

}  // namespace sparkprof
