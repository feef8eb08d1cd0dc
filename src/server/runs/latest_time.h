// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// The latest time that the API accepts (year 2100), in ms since the Unix epoch; see openapi.json.
constexpr int64_t kLatestMillis = 4'102'444'800'000;

}  // namespace sparkprof
