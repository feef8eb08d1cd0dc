// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/plan_operators.h"

namespace sparkprof {

// Values that several rules about plans share.

// The two inputs of a join that both shuffle.
struct JoinSides {
  const PlanOperator* small = nullptr;  // the exchanges
  const PlanOperator* large = nullptr;
  int64_t small_bytes = 0, large_bytes = 0;  // data size, as it would be broadcast
};

// Nothing (null) unless the join is a sort-merge or shuffled hash join of two exchanges whose sizes are known, and its
// type lets Spark broadcast the smaller one: not the outer side of an outer join.
JoinSides SidesOfJoin(const std::vector<PlanOperator>& operators, const PlanOperator& join);

// Bytes; ten times Spark's default threshold for broadcast joins.
inline constexpr int64_t kLargeBroadcast = int64_t{100} << 20;

inline constexpr size_t kManyQueriesRead = 3;  // queries that read the same data

// The saving of a cache for queries that take these times. The part that they share takes at most as long as the
// fastest of them: those that take longest, in the number that saves most.
int64_t TimeInCommon(std::vector<int64_t> times_ns);

// Values that event logs and text logs must show of the files of a scan.
inline constexpr int64_t kManyFiles = 500;
// Bytes; Spark plans as if opening a file took as long as reading these.
inline constexpr int64_t kSmallFile = int64_t{4} << 20;
inline constexpr int64_t kNsPerFile = 3'000'000;  // to open, flush and close one for writing, on a local disk

// How many files these bytes should have, and how to get there.
std::string CompactAdvice(int64_t cores, int64_t bytes);

}  // namespace sparkprof
