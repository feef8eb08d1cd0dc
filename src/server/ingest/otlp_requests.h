// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "server/ingest/pyroscope_requests.h"

namespace sparkprof {

// An ExportProfilesServiceRequest without compression, in JSON or protobuf: a profile for each resource, whose
// attributes become its labels and whose "service.name" is the service.
Result<ReceivedProfiles> ParseOtlpProfiles(std::string_view body, bool is_json);

}  // namespace sparkprof
