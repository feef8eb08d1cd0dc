// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// Shortens Spark's call site: "collect at /home/me/jobs/demo.py:60" becomes "collect at demo.py:60". Other names are
// unchanged.
std::string ShortCallSite(std::string_view call_site);

// Whether a call site has a line of the user's program. Spark, the JDK and Py4J start some work from code and threads
// of their own: "call at clientserver.py:644" is a function that Python passed to Java.
bool IsOfProgram(std::string_view call_site);

// "flow spark_catalog.default.sales" for a job of a Declarative Pipeline, whose call sites are Spark's own; else empty.
std::string FlowOf(const Job& job);

}  // namespace sparkprof
