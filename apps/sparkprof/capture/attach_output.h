// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/io/file.h"
#include "base/result.h"
#include "capture/attach.h"
#include "model/samples/profile_builder.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {

// Output formats for recordings, in addition to profile formats.
inline constexpr std::string_view kJfr = "jfr";
inline constexpr std::string_view kSprof = "sprof";

bool AsksForRecording(const AttachRequest& request, std::string_view recording);

// The writer of the requested profile format, by default collapsed stacks; null if unknown.
const ProfileWriter* WriterOf(const AttachRequest& request);

// Fails for an unknown output format, before attaching to the process. `recording`: the supported recording format;
// empty = none.
Result<void> CheckFormat(const AttachRequest& request, std::string_view recording);

// CheckFormat; also fails if the output file cannot be written.
Result<void> CheckOutput(const AttachRequest& request, std::string_view recording);

// Options for reading a profile called `title` for the requested format.
ProfileReadOptions AttachReadOptions(const AttachRequest& request, const std::string& title, bool lenient);

// Writes a JFR recording in the requested format, prints the number of samples to standard error, and returns the exit
// code. `is_cut`: the JVM exited while writing, so the last chunk may be incomplete.
int WriteAttachRecording(const AttachRequest& request, const std::string& title, const FileDescriptor& recording,
                         bool is_cut);

// WriteAttachRecording for a profile; `event_name` is the displayed event (empty = default), `note` is printed with the
// number of samples.
int WriteAttachProfile(const AttachRequest& request, const Profile& profile, const std::string& event_name,
                       const std::string& note);

}  // namespace sparkprof
