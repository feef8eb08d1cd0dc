// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/io/compression.h"
#include "base/memory_limit.h"
#include "base/text/json_writer.h"
#include "base/text/quantity.h"
#include "base/text/text.h"
#include "base/time.h"
#include "pictures/draw.h"
#include "server/querier/querier_methods.h"
#include "server/routes/answers.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxExpandedRequest = size_t{4} << 20;
// Grafana's own timeout.
constexpr std::chrono::milliseconds kLongestQuery{30'000};
constexpr std::string_view kJsonType = "application/json", kProtobufType = "application/proto";

// The time that the client waits until, or the server's limit if that is earlier.
QueryDeadline DeadlineOf(const HttpRequest& request) {
  const auto now = std::chrono::steady_clock::now();
  const std::optional<int64_t> millis = ParseInteger(request.Header("connect-timeout-ms"));
  const bool is_of_client = millis && *millis >= 0 && *millis < kLongestQuery.count();
  return {now + (is_of_client ? std::chrono::milliseconds(*millis) : kLongestQuery), is_of_client};
}

QueriedApplications ApplicationsFor(const ServerParts& parts, const HttpRequest& request) {
  return {parts.catalogue.get(), parts.cache.get(), parts.entries.get(), parts.options.access.ViewerOf(request),
          DeadlineOf(request)};
}

QueryResult<std::string> ExpandRequest(const HttpRequest& request) {
  const std::string encoding = ToLowerAscii(Trim(request.Header("content-encoding")));
  if (encoding.empty() || encoding == "identity") return request.body;
  if (encoding != "gzip") return Refuse(501, "content-encoding: only gzip and identity are supported");
  const std::unique_ptr<ByteSource> source = DecodeGzip(ViewSource(request.body), "body");
  Result<std::string> body = ReadAll(source.get(), kMaxExpandedRequest, "body");
  if (!body) return Refuse(400, body.error().message);
  return std::move(*body);
}

QueryResult<MessageCodec> CodecOf(const HttpRequest& request) {
  const std::string type = ToLowerAscii(Trim(Split(request.Header("content-type"), ';').front()));
  if (type == kJsonType) return MessageCodec::kJson;
  if (type == kProtobufType) return MessageCodec::kProtobuf;
  return Refuse(415, "expected the content type application/proto or application/json");
}

// Runs a query within its memory limit.
template <typename Query>
auto WithinQueryMemory(const Query& query) -> decltype(query()) {
  auto result = WithinMemory(kPictureMemory, query);
  if (result) return std::move(*result);
  return Refuse(429, fmt::format("the query needs more than {} MiB of memory: choose a shorter range, or add a "
                                 "condition such as a stage or an application",
                                 kPictureMemory >> 20));
}

QueryResult<int64_t> RenderTime(const HttpRequest& request, const std::string& name) {
  const std::string_view text = request.Parameter(name);
  constexpr std::string_view kNow = "now";
  constexpr int64_t kSecondsBelow = 100'000'000'000;  // larger numbers are ms
  if (const std::optional<int64_t> number = ParseInteger(text); number && *number >= 0) {
    return *number < kSecondsBelow ? *number * 1000 : *number;
  }
  if (text.starts_with(kNow)) {
    const std::string_view before = text.substr(kNow.size());
    const Result<int64_t> ago = before.starts_with('-') ? ParseDuration(before.substr(1)) : Result<int64_t>(0);
    if (ago && (before.empty() || before.starts_with('-'))) return (EpochNanos() - *ago) / kNanosPerMilli;
  }
  return Refuse(400, fmt::format("{}: '{}' is not a time; expected ms since the Unix epoch, or for instance now-1h",
                                 name, ToOneLine(Shorten(ToUtf8(text), 40))));
}

// One side of GET /pyroscope/render-diff: `TYPE{SELECTOR}`, and times.
QueryResult<QuerierRequest> RenderSide(const HttpRequest& request, const std::string& side) {
  QuerierRequest of_side;
  const std::string_view query = request.Parameter(side + "Query");
  const size_t brace = std::min(query.find('{'), query.size());
  of_side.type = Trim(query.substr(0, brace));
  of_side.selector = query.substr(brace);
  if (of_side.type.empty()) return Refuse(400, side + "Query: expected TYPE{SELECTOR}");
  const QueryResult<int64_t> from = RenderTime(request, side + "From"), until = RenderTime(request, side + "Until");
  if (!from) return tl::unexpected(from.error());
  if (!until) return tl::unexpected(until.error());
  of_side.start = *from;
  of_side.end = *until;
  if (const std::string_view nodes = request.Parameter("max-nodes"); !nodes.empty()) {
    const std::optional<int64_t> number = ParseInteger(nodes);
    if (!number) return Refuse(400, "max-nodes: expected a number");
    of_side.max_nodes = *number;
  }
  return of_side;
}

// The flame graph and its unit in the format of Pyroscope's pages.
std::string RenderDiff(const FlameLevels& flame, const std::string& type) {
  const std::vector<std::string_view> parts = Split(type, ':');
  const std::string_view unit = parts.size() > 2 ? parts[2] : "";
  JsonWriter json;
  json.BeginObject()
      .Member("version", 1)
      .Key("flamebearer")
      .BeginObject()
      .Member("names", flame.names)
      .Member("levels", flame.levels)
      .Member("numTicks", flame.total)
      .Member("maxSelf", flame.max_self)
      .EndObject();
  json.Key("metadata").BeginObject().Member("format", "double");
  // Pages divide samples by their rate to get seconds.
  json.Member("units", unit == "nanoseconds" ? "samples" : unit == "bytes" ? "bytes" : "objects");
  json.Member("name", parts.size() > 1 ? parts[1] : type).Member("sampleRate", kNanosPerSecond).EndObject();
  json.Member("leftTicks", flame.base_total).Member("rightTicks", flame.event_total).EndObject();
  return json.Take();
}

}  // namespace

HttpResponse PostQuerier(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const QueryResult<MessageCodec> codec = CodecOf(request);
  if (!codec) return PyroscopeError(request, codec.error().status, codec.error().problem);
  const QueryResult<std::string> body = ExpandRequest(request);
  if (!body) return PyroscopeError(request, body.error().status, body.error().problem);
  const QueriedApplications applications = ApplicationsFor(*parts, request);
  const QueryResult<std::string> answer = WithinQueryMemory([&]() -> QueryResult<std::string> {
    std::optional<QueryResult<std::string>> known = AnswerQuerier(captured[0], *codec, applications, *body);
    if (known) return std::move(*known);
    return Refuse(501, fmt::format("method {} is unsupported", ToOneLine(Shorten(ToUtf8(captured[0]), 40))));
  });
  if (!answer) return PyroscopeError(request, answer.error().status, answer.error().problem);
  return MakeResponse(200, std::string(*codec == MessageCodec::kJson ? kJsonType : kProtobufType), *answer);
}

HttpResponse GetRenderDiff(ServerParts* parts, const HttpRequest& request, const Captured&) {
  const QueryResult<QuerierRequest> left = RenderSide(request, "left"), right = RenderSide(request, "right");
  if (!left) return PyroscopeError(request, left.error().status, left.error().problem);
  if (!right) return PyroscopeError(request, right.error().status, right.error().problem);
  const QueriedApplications applications = ApplicationsFor(*parts, request);
  const QueryResult<std::string> answer = WithinQueryMemory([&]() -> QueryResult<std::string> {
    const QueryResult<FlameLevels> flame = CompareSamples(applications, {*left, *right});
    if (!flame) return tl::unexpected(flame.error());
    return RenderDiff(*flame, left->type);
  });
  if (!answer) return PyroscopeError(request, answer.error().status, answer.error().problem);
  return MakeResponse(200, std::string(kJsonType), *answer);
}

// The user has no stored settings.
HttpResponse PostSettings(ServerParts*, const HttpRequest& request, const Captured&) {
  const QueryResult<MessageCodec> codec = CodecOf(request);
  if (!codec) return PyroscopeError(request, codec.error().status, codec.error().problem);
  const bool is_json = *codec == MessageCodec::kJson;
  return MakeResponse(200, std::string(is_json ? kJsonType : kProtobufType), is_json ? "{}" : "");
}

}  // namespace sparkprof
