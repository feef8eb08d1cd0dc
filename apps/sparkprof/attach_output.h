// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/sparkprof/attach.h"
#include "base/file.h"
#include "base/result.h"

namespace sparkprof {

// Fails when the format that `request` asks for is none: before anything is done to a process.
Result<void> CheckOutputFormat(const AttachRequest& request);

// Writes the JFR recording in the format that `request` asks for and returns the exit code. `is_cut`: the JVM ended
// while it wrote, so the last chunk may not be whole.
int WriteAttachOutput(const AttachRequest& request, const FileDescriptor& recording, bool is_cut);

}  // namespace sparkprof
