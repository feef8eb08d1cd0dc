// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "attach.h"

namespace sparkprof {

// The recording that the plugin's agent writes for the JVM `pid`; empty if there is none on this host.
std::string FindPluginRecording(int64_t pid);

// For a JVM with sparkprof's plugin: waits for the requested time and shows that range of the plugin's recording, which
// includes tasks. Returns the exit code.
int AttachThroughPlugin(const AttachRequest& request, const std::string& recording);

}  // namespace sparkprof
