// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launch/submit_command.h"

namespace sparkprof {

struct EndedJob {
  const SubmitRequest& request;
  int exit_code;  // exit code of its command
};

// Blocks about killed drivers for the recording (EndsOfDrivers). `pieces`: parts of the recording.
std::string EndsOfKilledDrivers(const EndedJob& job, const std::vector<std::string>& pieces);

}  // namespace sparkprof
