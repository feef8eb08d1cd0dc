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

// Parses a time parameter: ms since the Unix epoch, or a time such as 2026-11-22T10:00:00Z. nullopt if missing.
Result<std::optional<int64_t>> TimeParameter(const HttpRequest& request, std::string_view name);

struct TimeParameters {
  std::optional<int64_t> from_ns, to_ns;
};
Result<TimeParameters> RangeParameters(const HttpRequest& request);

// The entry (ApplicationEntries) that a name resolves to for the sender of the request.
std::string ResolveEntry(const ServerParts& parts, const HttpRequest& request, const std::string& name);

// The sender's tenant. Requires an admitted request.
std::string TenantOfRequest(const ServerParts& parts, const HttpRequest& request);

// The error response if `request` may not read an application with these `viewers` (ViewersOf); nullopt if it may.
std::optional<HttpResponse> RefuseViewer(const ServerParts& parts, const HttpRequest& request, const std::string& id,
                                         std::string_view viewers);

// Fails for parameters that are not in `known`, a space-separated list.
Result<void> CheckParameters(const HttpRequest& request, std::string_view known);
// Also rejects parameters without a value.
Result<void> CheckParametersAndValues(const HttpRequest& request, std::string_view known);

// Parameters that select samples of a group.
inline constexpr std::string_view kGroupSamplesParameters = "from to event";

// All parameters except those in `without`, a space-separated list.
HttpParameters ParametersWithout(const HttpParameters& parameters, std::string_view without);

}  // namespace sparkprof
