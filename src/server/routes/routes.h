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

// One kind of request. `path` is "/applications/*/flame": a * stands for one segment and ** at the end for one or
// more, which go to `captured`. One line for each in routes.cc, in the order of docs/server-api.md.
struct Route {
  std::string_view method;
  std::string_view path;
  Role role;
  uint64_t max_body_bytes;
  HttpLane lane;
  HttpResponse (*answer)(ServerParts* parts, const HttpRequest& request, const std::vector<std::string>& captured);
  // Errors of protocols with a form of their own; null: ErrorResponse.
  HttpResponse (*error)(const HttpRequest& request, unsigned status, std::string_view message) = nullptr;
  // Its data belongs to no application's user: only for those who may see all applications (Access::ViewerOf).
  bool is_of_all = false;
  // Chooses the lane by the request's body; see HttpAdmission.
  HttpLane (*lane_of)(const HttpRequest& request) = nullptr;
};

std::span<const Route> Routes();

// The route of a request.
struct FoundRoute {
  const Route* route = nullptr;
  std::vector<std::string> captured;
  std::string allowed;  // without a route: the methods of that path, "GET, PUT"; empty = no such path
};
FoundRoute FindRoute(const HttpRequest& request);

}  // namespace sparkprof
