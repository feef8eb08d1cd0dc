// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/plan_operators.h"

namespace sparkprof {

// The two inputs of a join that both shuffle.
struct JoinSides {
  const PlanOperator* small = nullptr;  // the exchanges
  const PlanOperator* large = nullptr;
  int64_t small_bytes = 0, large_bytes = 0;  // data size, as it would be broadcast
};

// Nothing (null) unless the join is a sort-merge or shuffled hash join of two exchanges whose sizes are known, and its
// type lets Spark broadcast the smaller one: not the outer side of an outer join.
JoinSides SidesOfJoin(const std::vector<PlanOperator>& operators, const PlanOperator& join);

}  // namespace sparkprof
