// SPDX-License-Identifier: Apache-2.0
#include "server/routes/routes.h"

#include "base/text.h"
#include "server/routes/answers.h"

namespace sparkprof {
namespace {

constexpr uint64_t kMaxRecordingBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxJsonBytes = uint64_t{64} << 10;
constexpr uint64_t kMaxFormBytes = uint64_t{4} << 10;

#define API "/api/sparkprof/v1"
constexpr Route kRoutes[] = {
    {"POST", API "/recordings", Role::kIngest, kMaxRecordingBytes, PostRecordings},
    {"GET", API "/applications", Role::kRead, 0, ListApplications},
    {"GET", API "/applications/*", Role::kRead, 0, GetApplication},
    {"GET", API "/applications/*/flame", Role::kRead, 0, GetApplicationFlame},
    {"GET", API "/applications/*/report", Role::kRead, 0, GetApplicationReport},
    {"GET", API "/groups", Role::kRead, 0, ListGroups},
    {"GET", API "/groups/*/flame", Role::kRead, 0, GetGroupFlame},
    {"GET", API "/groups/*/functions", Role::kRead, 0, GetGroupFunctions},
    {"GET", API "/groups/*/findings", Role::kRead, 0, GetGroupFindings},
    {"GET", API "/groups/*/series", Role::kRead, 0, GetGroupSeries},
    {"GET", API "/groups/*/configuration", Role::kAny, 0, GetConfiguration},
    {"PUT", API "/groups/*/configuration", Role::kAdmin, kMaxJsonBytes, PutConfiguration},
    {"GET", API "/compare", Role::kRead, 0, CompareApplications},
    {"GET", API "/compare/flame", Role::kRead, 0, CompareFlames},
    {"GET", "/", Role::kNone, 0, GetPage},
    {"GET", "/login", Role::kNone, 0, GetPage},
    {"POST", "/login", Role::kNone, kMaxFormBytes, PostLogin},
    {"GET", "/applications/*", Role::kNone, 0, GetPage},
    {"GET", "/groups", Role::kNone, 0, GetPage},
    {"GET", "/groups/*", Role::kNone, 0, GetPage},
    {"GET", "/compare", Role::kNone, 0, GetPage},
    {"GET", "/assets/*", Role::kNone, 0, GetAsset},
    {"GET", "/healthz", Role::kNone, 0, GetHealth},
    {"GET", "/api/openapi.json", Role::kNone, 0, GetOpenApi},
    {"GET", "/metrics", Role::kRead, 0, GetMetrics},
};
#undef API

bool Matches(std::string_view pattern, const std::vector<std::string>& segments, std::vector<std::string>* captured) {
  captured->clear();
  pattern.remove_prefix(1);
  const std::vector<std::string_view> parts = pattern.empty() ? std::vector<std::string_view>() : Split(pattern, '/');
  if (parts.size() != segments.size()) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == "*") {
      captured->push_back(segments[i]);
    } else if (parts[i] != segments[i]) {
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
    found.path_exists = true;
    if (route.method != request.method) continue;
    found.route = &route;
    found.captured = std::move(captured);
    break;
  }
  return found;
}

}  // namespace sparkprof
