// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "attach.h"

namespace sparkprof {

// The recording that the plugin's agent writes for the JVM `pid`; empty if there is none on this host.
std::string FindPluginRecording(int64_t pid);

// Shows the requested time of the recording of a JVM with sparkprof's plugin, which includes tasks. Waits until then.
// Returns the exit code.
int AttachThroughPlugin(const AttachRequest& request, const std::string& recording);

}  // namespace sparkprof
