// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"
#include "model/plan_operators.h"

namespace sparkprof {

// The source of a scan, equal for all scans of the same data: its format, location and partition filters, the table,
// the RDD, or the DataFrame of generated rows. Empty for operators that read nothing, and for a cache.
std::string SourceOf(const std::vector<PlanOperator>& operators, const PlanOperator& one);

bool IsBelowCache(const std::vector<PlanOperator>& operators, const PlanOperator& scan);

// Formats "csv file:/data/sales.csv".
std::string SourceText(const PlanOperator& one);

// The value after `name` in the text of a scan, up to its closing bracket: "[isnotnull(day#3)]" for "PartitionFilters:
// ".
std::string_view FieldOf(std::string_view text, std::string_view name);

// Whether an operator's text in a plan calls the function: "ArrowEvalPython [score(id#0L)#4]" calls "score".
bool CallsFunction(std::string_view text, const std::string& function);

// The name of a cached RDD for a message. That of a DataFrame is its plan, a line for each operator: then the last one,
// a scan.
std::string ShortRddName(std::string_view name);

// The level as in Spark's UI: "Disk Memory Deserialized 1x Replicated".
std::string StorageLevelText(const CachedRdd& rdd);

}  // namespace sparkprof
