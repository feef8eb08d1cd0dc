// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "launch/check.h"

namespace sparkprof {

// Whether the server of spark.sparkprof.server accepts recordings with the configured token. Nothing if none is
// configured.
std::optional<Check> CheckServer(const DoctorRequest& request);

}  // namespace sparkprof
