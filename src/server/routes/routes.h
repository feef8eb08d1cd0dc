// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "server/access.h"
#include "server/server.h"

namespace sparkprof {

// One kind of request. `path` is "/applications/*/flame": a * stands for one segment, which goes to `captured`. One
// line for each in routes.cc, in the order of docs/server-api.md.
struct Route {
  std::string_view method;
  std::string_view path;
  Role role;
  uint64_t max_body_bytes;
  HttpResponse (*answer)(ServerParts* parts, const HttpRequest& request, const std::vector<std::string>& captured);
};

std::span<const Route> Routes();

// The route of a request. `path_exists`: another method has that path.
struct FoundRoute {
  const Route* route = nullptr;
  std::vector<std::string> captured;
  bool path_exists = false;
};
FoundRoute FindRoute(const HttpRequest& request);

}  // namespace sparkprof
