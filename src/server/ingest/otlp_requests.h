// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "server/ingest/pyroscope_requests.h"

namespace sparkprof {

// An ExportProfilesServiceRequest without compression, in JSON or protobuf: a profile for each service, which is the
// resources that have the same attributes apart from those of a process. The attributes become labels, and
// "service.name" is the service, or else the container.
Result<ReceivedProfiles> ParseOtlpProfiles(std::string_view body, bool is_json);

}  // namespace sparkprof
