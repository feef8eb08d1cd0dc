// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "server/access/access.h"
#include "server/server.h"

namespace sparkprof {

// One line of the table in routes.cc, in the order of docs/server-api.md. In `path` ("/applications/*/flame"), *
// matches one segment and a final ** one or more; matches are passed as `captured`. A first ** matches any prefix,
// which is not passed.
struct Route {
  std::string_view method;
  std::string_view path;
  Role role;
  uint64_t max_body_bytes;
  HttpLane lane;
  HttpResponse (*answer)(ServerParts* parts, const HttpRequest& request, const std::vector<std::string>& captured);
  // Formats errors of protocols with their own format; null = ErrorResponse.
  HttpResponse (*error)(const HttpRequest& request, unsigned status, std::string_view message) = nullptr;
  // Contains data of all users, so only those who may see all applications have access (Access::ViewerOf).
  bool is_of_all = false;
  // Chooses the lane by the request's body; see HttpAdmission.
  HttpLane (*lane_of)(const HttpRequest& request) = nullptr;
};

std::span<const Route> Routes();

struct FoundRoute {
  const Route* route = nullptr;
  std::vector<std::string> captured;
  std::string allowed;  // without a route: the path's methods, "GET, PUT"; empty = no such path
};
FoundRoute FindRoute(const HttpRequest& request);

}  // namespace sparkprof
