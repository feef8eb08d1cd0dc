// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"
#include "server/server.h"

namespace sparkprof {

// A parameter with a time: ms since the Unix epoch, or a time such as 2026-11-22T10:00:00Z. Nothing if it is not there.
Result<std::optional<int64_t>> TimeParameter(const HttpRequest& request, std::string_view name);

// The parameters `from` and `to`.
struct TimeParameters {
  std::optional<int64_t> from_ns, to_ns;
};
Result<TimeParameters> RangeParameters(const HttpRequest& request);

// The entry (ApplicationEntries) that a name means to whoever sends the request.
std::string ResolveEntry(const ServerParts& parts, const HttpRequest& request, const std::string& name);

// Why `request` may not read an application that `viewers` may see (ViewersOf); nothing if it may.
std::optional<HttpResponse> RefuseViewer(const ServerParts& parts, const HttpRequest& request, const std::string& id,
                                         std::string_view viewers);

// Fails for parameters that are not in `known`, which are separated by blanks.
Result<void> CheckParameters(const HttpRequest& request, std::string_view known);
// And refuses a parameter without a value.
Result<void> CheckParametersAndValues(const HttpRequest& request, std::string_view known);

// Parameters that select samples of a group.
inline constexpr std::string_view kGroupSamplesParameters = "from to event";

// All parameters but those named in `without`, which are separated by blanks.
HttpParameters ParametersWithout(const HttpParameters& parameters, std::string_view without);

}  // namespace sparkprof
