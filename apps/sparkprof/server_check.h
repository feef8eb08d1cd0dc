// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "launch/check.h"

namespace sparkprof {

// Checks whether the server of spark.sparkprof.server accepts recordings with the configured token. nullopt if none is
// configured.
std::optional<Check> CheckServer(const DoctorRequest& request);

}  // namespace sparkprof
