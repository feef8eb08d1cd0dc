// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/answers.h"
#include "model/application.h"

namespace sparkprof {

// A `traceparent` of W3C's Trace Context: the trace and the span that the application is a part of.
struct TraceParent {
  std::string trace_id;  // 32 lower-case hexadecimal digits
  std::string span_id;   // 16
};
// Nothing for another text.
std::optional<TraceParent> ParseTraceParent(std::string_view text);

// The one that the application got by its settings, such as spark.executorEnv.TRACEPARENT; nothing if it got none.
std::optional<TraceParent> TraceParentOf(const Application& application);

struct TraceOptions {
  std::optional<TraceParent> parent;  // without it, the application begins a trace of its own
  std::string page;                   // address of the application's page, for links to flame graphs; may be empty
  // Tasks of a stage that last at least as long as this share of them, and at least `shortest_task_ns`, have spans.
  double task_quantile = 0.95;
  int64_t shortest_task_ns = 100'000'000;
  size_t most_spans = 10'000;
};

// OTLP traces as JSON (one ExportTraceServiceRequest): spans application → query → job → stage → slow and failed tasks;
// findings are events of the application's span. IDs depend only on the application: sending it again replaces its
// spans rather than adding others.
std::string TraceJson(const Application& application, const Answers& answers, const TraceOptions& options);

}  // namespace sparkprof
