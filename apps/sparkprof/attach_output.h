// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "attach.h"
#include "base/file.h"
#include "base/result.h"
#include "model/profile_builder.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {

// Formats of what is recorded, beside those of profiles.
inline constexpr std::string_view kJfr = "jfr";
inline constexpr std::string_view kSprof = "sprof";

// Whether the output is to have this format of a recording.
bool AsksForRecording(const AttachRequest& request, std::string_view recording);

// The writer of the requested format of a profile, that of collapsed stacks if none is requested; null if it is
// unknown.
const ProfileWriter* WriterOf(const AttachRequest& request);

// Fails for an unknown output format, before the process is touched. `recording` is the supported format of recordings;
// empty = none.
Result<void> CheckFormat(const AttachRequest& request, std::string_view recording);

// The same, and fails when the output's file cannot be written.
Result<void> CheckOutput(const AttachRequest& request, std::string_view recording);

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
