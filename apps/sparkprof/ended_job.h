// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launch/submit_command.h"

namespace sparkprof {

// A job of `sparkprof run` that is over.
struct EndedJob {
  const SubmitRequest& request;
  int exit_code;  // of its command
};

// Blocks for the recording about drivers that were killed, see EndsOfDrivers. `pieces` are the parts of the recording.
std::string EndsOfKilledDrivers(const EndedJob& job, const std::vector<std::string>& pieces);

}  // namespace sparkprof
