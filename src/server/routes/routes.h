// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "server/access/access.h"
#include "server/server.h"

namespace sparkprof {

// Viewers that may use a route, in addition to the role.
enum class Audience : uint8_t {
  kTenants,    // everybody; the answer depends on the request's viewer (Access::ViewerOf)
  kServer,     // viewers without a tenant, because the answer is about the whole server
  kOperators,  // viewers of all applications, because the answer has data of all users
};

// One line of the table in routes.cc, in the order of docs/server-api.md. In `path` ("/applications/*/flame"), *
// matches one segment and a final ** one or more; matches are passed as `captured`. A ** at the start matches any
// prefix and is not passed.
struct Route {
  std::string_view method;
  std::string_view path;
  Role role;
  uint64_t max_body_bytes;
  HttpLane lane;
  HttpResponse (*answer)(ServerParts* parts, const HttpRequest& request, const std::vector<std::string>& captured);
  // Formats errors of protocols with their own format; null = ErrorResponse.
  HttpResponse (*error)(const HttpRequest& request, unsigned status, std::string_view message) = nullptr;
  Audience audience = Audience::kTenants;
  // Chooses the lane by the request's body; see HttpAdmission.
  HttpLane (*lane_of)(const HttpRequest& request) = nullptr;
};

std::span<const Route> Routes();

struct FoundRoute {
  const Route* route = nullptr;
  std::vector<std::string> captured;
  std::string allowed;  // if no route matches: the methods of the path, "GET, PUT"; empty = unknown path
};
FoundRoute FindRoute(const HttpRequest& request);

// The application that the request needs in memory; empty = none. One of several nodes keeps it. Any node answers
// downloads, which may be larger than memory.
std::string_view ApplicationInMemory(const FoundRoute& found);

}  // namespace sparkprof
