// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "server/ingest/pyroscope_requests.h"

namespace sparkprof {

// Parses an uncompressed ExportProfilesServiceRequest (JSON or protobuf) into one profile per service. Resources with
// equal attributes, apart from those of a process, are one service. Attributes become labels; the service is
// "service.name", else the container.
Result<ReceivedProfiles> ParseOtlpProfiles(std::string_view body, bool is_json);

}  // namespace sparkprof
