// SPDX-License-Identifier: Apache-2.0
#pragma once

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

// An operator of one of the application's SQL plans.
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

// Wall-clock time of these stages.
int64_t TimeOfStages(const FindingInput& input, const std::vector<int64_t>& stages);

}  // namespace sparkprof
