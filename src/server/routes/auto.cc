// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "server/responses.h"
#include "server/routes/answers.h"
#include "server/routes/query.h"

namespace sparkprof {
namespace {

constexpr std::string_view kKindNames[] = {"kept", "changed", "rolled-back"};
constexpr size_t kMaxValueBytes = 1'000;

// Parses {"own":{KEY:VALUE,…}} for settings of the policy.
Result<AutoValues> ParseOwn(const std::string& body, const AutoPolicy& policy) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::object members;
  if (parser.parse(body).get(document) != simdjson::SUCCESS || document["own"].get(members) != simdjson::SUCCESS)
    return Fail("expected {\"own\":{\"spark.executor.memory\":\"8g\", …}}");
  AutoValues own;
  for (const auto& [key, value] : members) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS && text.size() <= kMaxValueBytes && policy.Find(key) != nullptr)
      own[std::string(key)] = text;
  }
  return own;
}

}  // namespace

HttpResponse GetAutoSettings(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const Result<GroupConfiguration> configuration =
      parts->configurations->For(TenantOfRequest(*parts, request), captured[0], {});
  if (!configuration) return ErrorResponse(503, configuration.error().message);
  const auto configured = configuration->settings.find("auto");
  JsonWriter json;
  json.BeginObject().Member("auto", configured == configuration->settings.end() ? "" : configured->second);
  json.Key("keys").BeginArray();
  if (const AutoPolicy* const policy = parts->automatic->Policy()) {
    for (const AutoRule& rule : policy->rules) json.Value(rule.key);
  }
  json.EndArray().EndObject();
  return JsonResponse(std::move(json));
}

HttpResponse GetAutoVersions(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const Result<AutoState> state = parts->automatic->StateOf(TenantOfRequest(*parts, request), captured[0]);
  if (!state) return ErrorResponse(503, state.error().message);
  // Reasons name runs and their sizes, so only viewers of all runs may read them.
  if (parts->options.access.ViewerOf(request)) {
    for (const AutoVersion& version : state->versions) {
      for (const std::string& run : version.runs) {
        const auto row = parts->catalogue->Find(ResolveEntry(*parts, request, run), std::nullopt);
        if (!row) return ErrorResponse(503, row.error().message);
        if (!*row) continue;
        if (std::optional<HttpResponse> refused = RefuseViewer(*parts, request, run, (*row)->viewers)) return *refused;
      }
    }
  }
  return MakeResponse(200, "application/json", AutoStateJson(captured[0], *state) + "\n");
}

HttpResponse PostAutoSettings(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const AutoPolicy* const policy = parts->automatic->Policy();
  if (policy == nullptr) return ErrorResponse(404, "the collector has no policy; start it with --auto-policy FILE");
  const Result<AutoValues> own = ParseOwn(request.body, *policy);
  if (!own) return ErrorResponse(400, own.error().message);
  const std::string& group = captured[0];
  const auto record = [&](std::string_view before, std::string_view after, const Change& change) {
    return parts->audit->Add(request.peer, RoleName(parts->options.access.RoleOf(request)), "auto", group, before,
                             after, change);
  };
  const Result<AutoDecision> decision =
      parts->automatic->DecideFor(group, parts->options.access.ViewerOf(request), *own, record);
  if (!decision) return ErrorResponse(503, decision.error().message);
  if (decision->kind == AutoDecision::Kind::kRolledBack) {
    if (parts->options.log) parts->options.log(fmt::format("auto: group {}: {}", ToOneLine(group), decision->text));
    parts->notifications->NotifyWayBack(group, decision->text);
  }
  JsonWriter json;
  json.BeginObject().Member("kind", kKindNames[static_cast<size_t>(decision->kind)]).Member("text", decision->text);
  json.Member("version", decision->version).Key("settings").Object(decision->settings).EndObject();
  return JsonResponse(std::move(json));
}

}  // namespace sparkprof
