// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "attach.h"
#include "base/file.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Fails for an unknown output format, before the process is touched. `jfr`: JFR is supported.
Result<void> CheckFormat(const AttachRequest& request, bool jfr);

// The same, and fails when the output's file cannot be written.
Result<void> CheckOutput(const AttachRequest& request, bool jfr);

// How to read a profile called `title` for the requested format.
ProfileReadOptions AttachReadOptions(const AttachRequest& request, const std::string& title, bool lenient);

// Writes a JFR recording in the requested format, prints the number of samples to standard error, and returns the exit
// code. `is_cut`: the JVM exited while writing, so the last chunk may be incomplete.
int WriteAttachRecording(const AttachRequest& request, const std::string& title, const FileDescriptor& recording,
                         bool is_cut);

// The same for a profile; `event_name` is the event to show (empty = default), `note` is printed with the number of
// samples.
int WriteAttachProfile(const AttachRequest& request, const Profile& profile, const std::string& event_name,
                       const std::string& note);

}  // namespace sparkprof
