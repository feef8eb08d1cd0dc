// SPDX-License-Identifier: Apache-2.0
#include "suite_server.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <utility>

#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr size_t kRowsBytes = size_t{4} << 20;
const HttpHeaders kJsonHeaders = {{"content-type", "application/json"}};

}  // namespace

Result<SuiteRunOnServer> SuiteRunOnServer::Create(ServerClient client, const SuiteResults& results) {
  JsonWriter json;
  json.BeginObject().Member("suiteName", results.suite).Member("version", results.version);
  json.Member("user", results.user).EndObject();
  const Result<HttpResponse> response = client.Send("POST", "/runs", json.Text(), kJsonHeaders);
  if (!response) return tl::unexpected(response.error());
  if (response->status != 201) return Fail(ServerClient::Describe(*response));
  simdjson::dom::parser parser;
  int64_t id = 0;
  if (parser.parse(simdjson::padded_string(response->Body()))["id"].get(id) != simdjson::SUCCESS) {
    return Fail("the answer is not a run; is --server the address of `sparkprof serve`?");
  }
  return SuiteRunOnServer(std::move(client), id);
}

void SuiteRunOnServer::Send(std::string_view method, const std::string& below, std::string_view body) {
  const Result<HttpResponse> response = client_.Send(method, fmt::format("/runs/{}{}", id_, below), body, kJsonHeaders);
  if (response && response->status < 300) return;
  if (problem_.empty()) problem_ = response ? ServerClient::Describe(*response) : response.error().message;
}

void SuiteRunOnServer::Log(std::string_view type, std::string_view message) {
  JsonWriter json;
  json.BeginObject().Member("msgTime", EpochNanos() / kNanosPerMilli).Member("msgType", type);
  json.Member("message", message).EndObject();
  Send("POST", "/log", json.Text());
}

void SuiteRunOnServer::AddProcesses(std::string_view rows) {
  std::string body;
  const auto send = [&] {
    if (!body.empty()) Send("POST", "/processes", "[" + body + "]");
    body.clear();
  };
  for (const std::string_view row : Split(rows, '\n')) {
    if (row.empty()) continue;
    if (body.size() + row.size() > kRowsBytes) send();
    if (!body.empty()) body += ',';
    body += row;
  }
  send();
}

void SuiteRunOnServer::Finish(const SuiteResults& results) {
  JsonWriter json;
  json.BeginObject().Member("overallStatus", results.status).Member("endTime", results.end_ns / kNanosPerMilli);
  json.Key("results").Raw(SummaryJson(results)).EndObject();
  Send("PATCH", "", json.Text());
}

Result<SuiteResults> FetchResults(const ServerClient& client, int64_t run) {
  const Result<HttpResponse> response = client.Send("GET", fmt::format("/runs/{}", run), {});
  if (!response) return tl::unexpected(response.error());
  if (response->status != 200) return Fail(ServerClient::Describe(*response));
  simdjson::dom::parser parser;
  simdjson::dom::element results;
  if (parser.parse(simdjson::padded_string(response->Body()))["results"].get(results) != simdjson::SUCCESS) {
    return Fail(fmt::format("run {} has no results", run));
  }
  return ParseSummary(std::string(simdjson::minify(results)), fmt::format("run {}", run));
}

}  // namespace sparkprof
