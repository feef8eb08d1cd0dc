// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// The warnings and errors of the logs that are known not to be failures, one sentence a kind without its period, the
// most frequent first: "A port was in use, so Spark took the next one (2 records, the first at driver.log:12)".
std::vector<std::string> HarmlessMessages(const Application& application);

}  // namespace sparkprof
