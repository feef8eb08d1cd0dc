// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// An operator of a physical plan. Wrappers without work of their own (whole-stage code generation, adaptive execution,
// query stages) and the copies of a plan below a reused exchange are not operators.
struct PlanOperator {
  int32_t node = 0;  // position in the plan in preorder, wrappers included: the nodeId of Spark's REST API
  const PlanNode* plan = nullptr;
  std::string_view kind;        // see KindOf
  int32_t parent = -1;          // row of the operator that reads its rows, -1 = none
  std::vector<int32_t> inputs;  // rows of the operators it reads from, without subqueries
  int32_t codegen = 0;          // number of the code generation it is part of, 0 = none
  bool is_subquery = false;     // or part of one
  // IDs of the stages that ran it, ascending. An operator without metrics runs where the one below it does, or else the
  // one above it, unless an exchange is between. Empty = unknown, or the driver.
  std::vector<int64_t> stages;
  std::optional<int64_t> rows_in, rows_out, spill_bytes;
  std::optional<int64_t> row_pairs;  // of two inputs: the rows of one times the rows of the other
};

// The operators of a plan in preorder. `plan` must outlive them.
std::vector<PlanOperator> OperatorsOf(const PlanNode& plan);

// The first word of its name, for an engine's operator that of Spark's which it stands for: "Scan", "HashAggregate".
std::string_view KindOf(const PlanNode& node);

// The metric that counts the rows that it returns.
std::string_view RowsMetricOf(const PlanNode& node);

// Whether it separates stages: Exchange, BroadcastExchange, ReusedExchange.
bool IsExchange(std::string_view kind);

// Whether it runs user functions in Python workers.
bool IsPythonOperator(std::string_view kind);

// Whether it writes the query's result: WriteFiles, "Execute InsertIntoHadoopFsRelationCommand".
bool IsWrite(std::string_view kind);

// The value of one of the node's metrics, nothing if it has none or no task reported it.
std::optional<int64_t> ValueOf(const PlanNode& node, std::string_view metric);

}  // namespace sparkprof
