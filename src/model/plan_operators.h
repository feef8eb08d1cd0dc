// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// An operator of a physical plan. Excludes wrappers without work of their own (whole-stage code generation, adaptive
// execution, query stages) and the copies of a plan below a reused exchange.
struct PlanOperator {
  int32_t node = 0;  // preorder position in the plan including wrappers: the nodeId of Spark's REST API
  const PlanNode* plan = nullptr;
  std::string_view kind;        // result of KindOf
  int32_t parent = -1;          // row of the operator that reads its rows; -1 = none
  std::vector<int32_t> inputs;  // rows of its input operators, without subqueries
  int32_t codegen = 0;          // number of its code generation; 0 = none
  bool is_subquery = false;     // a subquery or part of one
  // IDs of the stages that ran it, ascending. An operator without metrics runs where the one below it does, else the
  // one above it, unless an exchange is in between. Empty = unknown, or the driver.
  std::vector<int64_t> stages;
  std::optional<int64_t> rows_in, rows_out, spill_bytes;
  std::optional<int64_t> row_pairs;  // for two inputs: product of their row counts
};

// The operators of a plan in preorder. `plan` must outlive them.
std::vector<PlanOperator> OperatorsOf(const PlanNode& plan);

// The first word of its name: "Scan", "HashAggregate". For an engine's operator, the corresponding Spark operator.
std::string_view KindOf(const PlanNode& node);

// Name of the metric that counts its returned rows.
std::string_view RowsMetricOf(const PlanNode& node);

// Whether it separates stages: Exchange, BroadcastExchange, ReusedExchange.
bool IsExchange(std::string_view kind);

// Whether it runs user functions in Python workers.
bool IsPythonOperator(std::string_view kind);

// Whether these functions get rows in Arrow batches of a limited size, not whole groups.
bool GetsArrowBatches(std::string_view kind);

// Whether it writes the query's result: WriteFiles, "Execute InsertIntoHadoopFsRelationCommand".
bool IsWrite(std::string_view kind);

// The value of a node's metric; nullopt if it has none or no task reported it.
std::optional<int64_t> ValueOf(const PlanNode& node, std::string_view metric);

// Changes by adaptive execution between two versions of a plan, one per operator: "SortMergeJoin → BroadcastHashJoin",
// "+ AQEShuffleRead coalesced", "- Exchange". Empty if the operators are the same: Spark also reports a plan when one
// of its stages has run.
std::vector<std::string> ChangesOfPlan(const PlanNode& before, const PlanNode& after);

}  // namespace sparkprof
