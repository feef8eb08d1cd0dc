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

// Shortens Spark's call site: "collect at /home/me/jobs/demo.py:60" becomes "collect at demo.py:60", and the
// description of a dbt query becomes its node, "dbt model.shop.orders", and the text of another query one short line.
// Other names are unchanged.
std::string ShortCallSite(std::string_view call_site);

// Describes the call in a sentence: only the call, "save", if the line is in Spark, the JDK or Py4J.
std::string CallInWords(std::string_view call_site);

// Whether a call site has a line of the user's program. Spark, the JDK and Py4J start some work from their own code and
// threads: "call at clientserver.py:644" is a function that Python passed to Java.
bool IsOfProgram(std::string_view call_site);

// Returns "flow spark_catalog.default.sales" for a job of a Declarative Pipeline, "dbt model.shop.orders" for one of
// dbt: their call sites are in Spark. Empty for others.
std::string StepOf(const Job& job);

}  // namespace sparkprof
