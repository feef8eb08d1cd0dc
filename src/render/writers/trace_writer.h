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

// A W3C Trace Context `traceparent`: the trace and span that the application belongs to.
struct TraceParent {
  std::string trace_id;  // 32 lower-case hexadecimal digits
  std::string span_id;   // 16 lower-case hexadecimal digits
};
// nullopt for invalid text.
std::optional<TraceParent> ParseTraceParent(std::string_view text);

// The parent from the application's settings, such as spark.executorEnv.TRACEPARENT; nullopt if none is set.
std::optional<TraceParent> TraceParentOf(const Application& application);

struct TraceOptions {
  std::optional<TraceParent> parent;  // unset = the application starts a new trace
  std::string page;                   // URL of the application's page, for links to flame graphs; may be empty
  // Tasks get spans if they last at least as long as this quantile of their stage, and at least `shortest_task_ns`.
  double task_quantile = 0.95;
  int64_t shortest_task_ns = 100'000'000;
  size_t most_spans = 10'000;
};

// OTLP traces as JSON (one ExportTraceServiceRequest): spans application → query → job → stage → slow and failed tasks;
// findings are events of the application's span. IDs depend only on the application, so sending it again replaces its
// spans instead of adding others.
std::string TraceJson(const Application& application, const Answers& answers, const TraceOptions& options);

}  // namespace sparkprof
