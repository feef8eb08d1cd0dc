// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/application.h"

namespace sparkprof {

// Formats "3.5 s of profiling (agent restarted), 12 task records (queue full)": every loss with its reason; empty
// without losses.
std::string LossesInWords(const Application& application);

}  // namespace sparkprof
