// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>

#include "base/text/text.h"
#include "capture/recording_options.h"
#include "http/http_client.h"
#include "loader/remote_inputs.h"
#include "output/report_files.h"
#include "render/writers/trace_writer.h"

namespace sparkprof {
namespace {

constexpr const char* kParentVariable = "TRACEPARENT";
// "name=value,…", read like OpenTelemetry's exporters; may contain tokens.
constexpr const char* kHeadersVariable = "OTEL_EXPORTER_OTLP_HEADERS";

Result<HttpHeaders> HeadersOfEnvironment() {
  HttpHeaders headers;
  const char* const text = std::getenv(kHeadersVariable);
  for (const std::string_view part : Split(text == nullptr ? "" : text, ',')) {
    if (Trim(part).empty()) continue;
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) return Fail(fmt::format("{}: expected NAME=VALUE,…", kHeadersVariable));
    headers.emplace_back(Trim(part.substr(0, equals)), PercentDecode(Trim(part.substr(equals + 1))).value_or(""));
  }
  return headers;
}

Result<void> SendTraces(const std::string& address, const std::string& json) {
  const Result<Url> url = ParseUrl(address);
  if (!url) return Fail("--traces: " + url.error().message);
  Result<HttpHeaders> headers = HeadersOfEnvironment();
  if (!headers) return tl::unexpected(headers.error());
  headers->emplace_back("content-type", "application/json");
  const Result<HttpResponse> response = SendHttp("POST", *url, *headers, json);
  if (!response) return tl::unexpected(response.error());
  if (response->status >= 200 && response->status < 300) return {};
  constexpr size_t kMostOfBody = 200;
  return Fail(fmt::format("{}: the server answered {}: {}", address, response->status,
                          Shorten(ToOneLine(response->Body()), kMostOfBody)));
}

}  // namespace

Result<void> WriteTraces(const Application& application, const Answers& answers, const std::string& page,
                         const std::string& output) {
  TraceOptions options{.page = page.substr(0, page.find('#'))};
  if (const char* const variable = std::getenv(kParentVariable); variable != nullptr && *variable != '\0') {
    options.parent = ParseTraceParent(variable);
    if (!options.parent) return Fail(fmt::format("{}: not a traceparent of W3C's Trace Context", kParentVariable));
  } else {
    options.parent = TraceParentOf(application);
  }
  const std::string json = TraceJson(application, answers, options);
  return IsUrl(output) ? SendTraces(output, json) : WriteOutput(output, json);
}

}  // namespace sparkprof
