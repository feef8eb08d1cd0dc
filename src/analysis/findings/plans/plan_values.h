// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/plan_operators.h"

namespace sparkprof {

// Values shared by rules about plans.

// The two shuffled inputs of a join.
struct JoinSides {
  const PlanOperator* small = nullptr;  // exchange
  const PlanOperator* large = nullptr;
  int64_t small_bytes = 0, large_bytes = 0;  // data size, as it would be broadcast
};

// Null unless the join is a sort-merge or shuffled hash join of two exchanges of known size, and Spark could broadcast
// the smaller one: not the outer side of an outer join.
JoinSides SidesOfJoin(const std::vector<PlanOperator>& operators, const PlanOperator& join);

// Bytes; ten times Spark's default threshold for broadcast joins.
inline constexpr int64_t kLargeBroadcast = int64_t{100} << 20;

inline constexpr size_t kManyQueriesRead = 3;  // queries that read the same data

// The saving of a cache for queries that take these times. The shared part takes at most as long as the fastest of the
// queries that use it; chooses the slowest queries, in the number that saves the most.
int64_t TimeInCommon(std::vector<int64_t> times_ns);

// Common thresholds for files of a scan in event logs and text logs.
inline constexpr int64_t kManyFiles = 500;
// Bytes; Spark plans as if opening a file cost as much as reading these.
inline constexpr int64_t kSmallFile = int64_t{4} << 20;
inline constexpr int64_t kNsPerFile = 3'000'000;  // to open, flush and close an output file on a local disk

// The number of files that these bytes should have, and how to get there.
std::string CompactAdvice(int64_t cores, int64_t bytes);

}  // namespace sparkprof
