// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "attach.h"

namespace sparkprof {

// The recording that the agent of sparkprof's plugin writes beside the JVM `pid`; empty when it writes none here.
std::string FindPluginRecording(int64_t pid);

// For a JVM that sparkprof's plugin profiles: waits for the time that was asked for, and shows that time of the
// plugin's own recording, which knows tasks. Returns the exit code.
int AttachThroughPlugin(const AttachRequest& request, const std::string& recording);

}  // namespace sparkprof
