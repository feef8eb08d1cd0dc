// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "model/sample.h"

namespace sparkprof {

// A readable weight of `event`: "1.2 s", "340 MiB".
std::string FormatWeight(Event event, int64_t weight);

}  // namespace sparkprof
