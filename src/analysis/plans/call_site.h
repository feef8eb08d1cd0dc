// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

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
