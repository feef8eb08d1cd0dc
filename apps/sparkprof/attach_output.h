// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "attach.h"
#include "base/file.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Fails when the format that `request` asks for is none: before anything is done to a process. With `jfr`, a JFR file
// is one.
Result<void> CheckFormat(const AttachRequest& request, bool jfr);

// The same, and fails when the output's file cannot be written.
Result<void> CheckOutput(const AttachRequest& request, bool jfr);

// How a profile called `title` has to be read for the format that `request` asks for.
ProfileReadOptions AttachReadOptions(const AttachRequest& request, const std::string& title, bool lenient);

// Writes a JFR recording of what `title` names in the format that `request` asks for, says on standard error how much
// was sampled, and returns the exit code. `is_cut`: the JVM ended while it wrote, so the last chunk may not be whole.
int WriteAttachRecording(const AttachRequest& request, const std::string& title, const FileDescriptor& recording,
                         bool is_cut);

// The same for a profile; `event_name` is its event that is shown (empty = its default), `note` is said with the count
// of samples.
int WriteAttachProfile(const AttachRequest& request, const Profile& profile, const std::string& event_name,
                       const std::string& note);

}  // namespace sparkprof
