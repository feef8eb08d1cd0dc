// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "model/plan_operators.h"

namespace sparkprof {

// Adds an operator's calls of functions that cost far more than reading a column, without the numbers of columns:
// "regexp_extract(raw, id=(\d+), 1)", "UDF(UDF(body))" and "UDF(body)".
void AddCostlyCalls(const PlanOperator& one, std::set<std::string>* calls);

}  // namespace sparkprof
