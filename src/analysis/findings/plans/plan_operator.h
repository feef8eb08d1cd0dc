// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "model/application.h"
#include "model/plan_operators.h"

namespace sparkprof {

struct PlacedOperator {
  const SqlExecution* sql = nullptr;
  PlanOperator one;

  const PlanNode& node() const { return *one.plan; }
};

// The operator with the largest measure in all plans; nullopt if all are 0.
using MeasureOfOperator = std::function<int64_t(const PlanOperator& one)>;
std::optional<PlacedOperator> WorstOperator(const Application& application, const MeasureOfOperator& measure);

// "Scan parquet of SQL execution 3 (collect at job.py:9)"
std::string OperatorText(const PlacedOperator& placed);

// Makes a finding refer to the operator's query, stages and line of code.
void PointAt(const PlacedOperator& placed, Finding* finding);

// The SQL execution with this ID; null if there is none. Fast even for streams, which have one execution per batch.
const SqlExecution* ExecutionOf(const Application& application, int64_t id);
// The SQL execution that a stage belongs to; null if there is none.
const SqlExecution* ExecutionOfStage(const Application& application, const Stage& stage);

// The operators of a stage's query that ran in the stage or in an unknown stage.
std::vector<PlanOperator> OperatorsOfStage(const Application& application, const Stage& stage);

// Adds an operator's calls of functions that cost far more than reading a column, without column numbers:
// "regexp_extract(raw, id=(\d+), 1)", "UDF(UDF(body))" and "UDF(body)".
void AddCostlyCalls(const PlanOperator& one, std::set<std::string>* calls);

int64_t TimeOfStages(const FindingInput& input, const std::vector<int64_t>& stages);

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
