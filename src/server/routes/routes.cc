// SPDX-License-Identifier: Apache-2.0
#include "server/routes/routes.h"

#include "base/text/text.h"
#include "inject/admission_review.h"
#include "server/routes/answers.h"

namespace sparkprof {
namespace {

constexpr uint64_t kMaxRecordingBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxJsonBytes = uint64_t{64} << 10;
constexpr uint64_t kMaxMcpBytes = uint64_t{1} << 20;
constexpr uint64_t kMaxQueryBytes = uint64_t{1} << 20;
constexpr uint64_t kMaxRunBytes = uint64_t{4} << 20;
constexpr uint64_t kMaxRowsBytes = uint64_t{8} << 20;
constexpr uint64_t kMaxFormBytes = uint64_t{4} << 10;
constexpr uint64_t kMaxProfileBytes = uint64_t{32} << 20;

#define API "/api/sparkprof/v1"
constexpr Route kRoutes[] = {
    {"POST", API "/recordings", Role::kIngest, kMaxRecordingBytes, HttpLane::kStore, PostRecordings},
    {"GET", API "/applications", Role::kRead, 0, HttpLane::kLookup, ListApplications},
    {"GET", API "/applications/*", Role::kRead, 0, HttpLane::kCompute, GetApplication},
    {"GET", API "/applications/*/findings", Role::kRead, 0, HttpLane::kCompute, GetApplicationFindings},
    {"GET", API "/applications/*/flame", Role::kRead, 0, HttpLane::kCompute, GetApplicationFlame},
    {"GET", API "/applications/*/recording", Role::kRead, 0, HttpLane::kCompute, GetApplicationRecording},
    {"GET", API "/applications/*/report", Role::kRead, 0, HttpLane::kCompute, GetApplicationReport},
    {"GET", API "/groups", Role::kRead, 0, HttpLane::kLookup, ListGroups},
    {"GET", API "/groups/*/flame", Role::kRead, 0, HttpLane::kCompute, GetGroupFlame},
    {"GET", API "/groups/*/report", Role::kRead, 0, HttpLane::kCompute, GetGroupReport},
    {"GET", API "/groups/*/functions", Role::kRead, 0, HttpLane::kCompute, GetGroupFunctions},
    {"GET", API "/groups/*/findings", Role::kRead, 0, HttpLane::kLookup, GetGroupFindings},
    {"GET", API "/groups/*/series", Role::kRead, 0, HttpLane::kCompute, GetGroupSeries},
    {"GET", API "/groups/*/configuration", Role::kAny, 0, HttpLane::kLookup, GetConfiguration},
    {"PUT", API "/groups/*/configuration", Role::kAdmin, kMaxJsonBytes, HttpLane::kStore, PutConfiguration},
    {"GET", API "/groups/*/configuration/auto", Role::kAny, 0, HttpLane::kLookup, GetAutoSettings},
    {"GET", API "/groups/*/auto/versions", Role::kRead, 0, HttpLane::kLookup, GetAutoVersions},
    {"POST", API "/groups/*/auto", Role::kIngest, kMaxJsonBytes, HttpLane::kCompute, PostAutoSettings},
    {"GET", API "/compare", Role::kRead, 0, HttpLane::kCompute, CompareApplications},
    {"GET", API "/compare/flame", Role::kRead, 0, HttpLane::kCompute, CompareFlames},
    {"POST", "/ingest", Role::kIngest, kMaxProfileBytes, HttpLane::kStore, PostIngest, PyroscopeError},
    {"POST", "/push.v1.PusherService/Push", Role::kIngest, kMaxProfileBytes, HttpLane::kStore, PostPush,
     PyroscopeError},
    {"POST", "/**/querier.v1.QuerierService/*", Role::kRead, kMaxQueryBytes, HttpLane::kCompute, PostQuerier,
     PyroscopeError},
    {"POST", "/**/settings.v1.SettingsService/Get", Role::kRead, kMaxQueryBytes, HttpLane::kQuick, PostSettings,
     PyroscopeError},
    {"GET", "/**/pyroscope/render-diff", Role::kRead, 0, HttpLane::kCompute, GetRenderDiff, PyroscopeError},
    {"POST", "/v1development/profiles", Role::kIngest, kMaxProfileBytes, HttpLane::kStore, PostOtlpProfiles, OtlpError},
    {"POST", "/mutate", Role::kNone, kMaxReviewBytes, HttpLane::kQuick, PostMutate},
    {"POST", "/mcp", Role::kRead, kMaxMcpBytes, HttpLane::kCompute, PostMcp, nullptr, Audience::kTenants, LaneOfMcp},
    {"POST", API "/runs", Role::kIngest, kMaxRunBytes, HttpLane::kStore, PostRun, nullptr, Audience::kServer},
    {"GET", API "/runs", Role::kRead, 0, HttpLane::kLookup, ListRuns, nullptr, Audience::kOperators},
    {"GET", API "/runs/*", Role::kRead, 0, HttpLane::kLookup, GetRun, nullptr, Audience::kOperators},
    {"PATCH", API "/runs/*", Role::kIngest, kMaxRunBytes, HttpLane::kStore, PatchRun, nullptr, Audience::kServer},
    {"POST", API "/runs/*/log", Role::kIngest, kMaxRowsBytes, HttpLane::kStore, PostRunLog, nullptr, Audience::kServer},
    {"GET", API "/runs/*/log", Role::kRead, 0, HttpLane::kCompute, GetRunLog, nullptr, Audience::kOperators},
    {"POST", API "/runs/*/processes", Role::kIngest, kMaxRowsBytes, HttpLane::kStore, PostRunProcesses, nullptr,
     Audience::kServer},
    {"GET", API "/runs/*/processes", Role::kRead, 0, HttpLane::kCompute, GetRunProcesses, nullptr,
     Audience::kOperators},
    {"POST", API "/proofs", Role::kIngest, kMaxJsonBytes, HttpLane::kStore, PostProof},
    {"GET", API "/proofs", Role::kRead, 0, HttpLane::kLookup, ListProofs},
    {"GET", API "/nodes", Role::kRead, 0, HttpLane::kCompute, ListNodes, nullptr, Audience::kOperators},
    {"GET", API "/nodes/*/processes", Role::kRead, 0, HttpLane::kCompute, ListNodeProcesses, nullptr,
     Audience::kOperators},
    {"GET", API "/fleet", Role::kRead, 0, HttpLane::kCompute, GetFleet},
    {"GET", "/api/v1/version", Role::kRead, 0, HttpLane::kQuick, GetSparkVersion},
    {"GET", "/api/v1/applications", Role::kRead, 0, HttpLane::kLookup, ListSparkApplications},
    {"GET", "/api/v1/applications/**", Role::kRead, 0, HttpLane::kCompute, GetSparkApplication},
    {"GET", "/", Role::kNone, 0, HttpLane::kQuick, GetPage},
    {"GET", "/login", Role::kNone, 0, HttpLane::kQuick, GetPage},
    {"POST", "/login", Role::kNone, kMaxFormBytes, HttpLane::kQuick, PostLogin},
    {"GET", "/applications/*", Role::kNone, 0, HttpLane::kQuick, GetPage},
    {"GET", "/groups", Role::kNone, 0, HttpLane::kQuick, GetPage},
    {"GET", "/groups/*", Role::kNone, 0, HttpLane::kQuick, GetPage},
    {"GET", "/compare", Role::kNone, 0, HttpLane::kQuick, GetPage},
    {"GET", "/runs", Role::kNone, 0, HttpLane::kQuick, GetPage},
    {"GET", "/runs/*", Role::kNone, 0, HttpLane::kQuick, GetPage},
    {"GET", "/longevity", Role::kNone, 0, HttpLane::kQuick, GetPage},
    {"GET", "/fleet", Role::kNone, 0, HttpLane::kQuick, GetPage},
    {"GET", "/infrastructure", Role::kNone, 0, HttpLane::kQuick, GetPage},
    {"GET", "/assets/*", Role::kNone, 0, HttpLane::kQuick, GetAsset},
    {"GET", "/healthz", Role::kNone, 0, HttpLane::kQuick, GetHealth},
    {"GET", "/livez", Role::kNone, 0, HttpLane::kQuick, GetLiveness},
    {"GET", "/readyz", Role::kNone, 0, HttpLane::kQuick, GetReadiness},
    {"GET", "/api/openapi.json", Role::kNone, 0, HttpLane::kQuick, GetOpenApi},
    {"GET", "/metrics", Role::kRead, 0, HttpLane::kQuick, GetMetrics, nullptr, Audience::kServer},
    {"GET", "/metrics/jobs", Role::kRead, 0, HttpLane::kQuick, GetJobMetrics},
};
#undef API

bool Matches(std::string_view pattern, const std::vector<std::string>& segments, std::vector<std::string>* captured) {
  captured->clear();
  pattern.remove_prefix(1);
  std::vector<std::string_view> parts = pattern.empty() ? std::vector<std::string_view>() : Split(pattern, '/');
  if (!parts.empty() && parts.back() == "**" && segments.size() >= parts.size()) parts.resize(segments.size(), "*");
  // Segments that a first ** matches.
  size_t prefix = 0;
  if (!parts.empty() && parts.front() == "**") {
    parts.erase(parts.begin());
    if (segments.size() < parts.size()) return false;
    prefix = segments.size() - parts.size();
  }
  if (parts.size() + prefix != segments.size()) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == "*" || parts[i] == "**") {
      captured->push_back(segments[prefix + i]);
    } else if (parts[i] != segments[prefix + i]) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::span<const Route> Routes() { return kRoutes; }

FoundRoute FindRoute(const HttpRequest& request) {
  FoundRoute found;
  for (const Route& route : kRoutes) {
    std::vector<std::string> captured;
    if (!Matches(route.path, request.segments, &captured)) continue;
    if (route.method != request.method) {
      found.allowed += found.allowed.empty() ? "" : ", ";
      found.allowed += route.method;
      continue;
    }
    found.route = &route;
    found.captured = std::move(captured);
    break;
  }
  return found;
}

std::string_view ApplicationInMemory(const FoundRoute& found) {
  auto* const answer = found.route->answer;
  const bool needs_it = answer == GetApplication || answer == GetApplicationFindings || answer == GetApplicationFlame ||
                        answer == GetApplicationReport ||
                        (answer == GetSparkApplication && found.captured.back() != "logs");
  return needs_it ? std::string_view(found.captured.front()) : std::string_view();
}

}  // namespace sparkprof
