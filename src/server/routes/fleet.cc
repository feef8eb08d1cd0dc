// SPDX-License-Identifier: Apache-2.0
#include "server/responses.h"
#include "server/routes/answers.h"

namespace sparkprof {

HttpResponse GetFleet(ServerParts* parts, const HttpRequest& request, const Captured&) {
  if (!parts->fleet->Exists()) return ErrorResponse(404, "no fleet: start the server with --fleet DIR");
  // The totals include all users.
  if (parts->options.access.ViewerOf(request))
    return ErrorResponse(403, "with access lists, the fleet is for administrators");
  const Result<FleetFolder::Data> data = parts->fleet->Read();
  if (!data) return ErrorResponse(503, data.error().message);
  if (request.Header("if-none-match").find(data->tag) != std::string_view::npos)
    return {304, {{"etag", data->tag}}, nullptr};
  return {200,
          {{"content-type", "application/json"},
           {"content-encoding", "gzip"},
           {"etag", data->tag},
           {"cache-control", "no-cache"}},
          data->compressed};
}

}  // namespace sparkprof
