// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Warnings and errors in the logs that are known to be harmless, as one sentence per kind without its period, most
// frequent first: "A port was in use, so Spark took the next one (2 records, the first at driver.log:12)". Reads the
// first 20,000 records of level `least` or above.
std::vector<std::string> HarmlessMessages(const Application& application, LogLevel least = LogLevel::kWarn);

// Errors of a log that no row of failures/ describes, which prove no failure: the first ones, and the number of others.
std::vector<std::string> UnknownErrors(const Application& application);

}  // namespace sparkprof
