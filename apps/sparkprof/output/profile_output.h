// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/samples/profile.h"
#include "pictures/picture_request.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {

// Determines which argument is the output (ResolveOutput), and finishes the request. Returns whether the output was
// named after the input.
Result<bool> FinishRequest(PictureKind kind, std::vector<std::string>* inputs, PictureRequest* request);

// Writes the profile to the request's output; leaves no file on failure.
Result<void> WriteProfile(const Application& application, const PictureRequest& request,
                          const ProfileWriteOptions& write_options);

// Prints the supported formats for `sparkprof convert --formats`. Returns the exit code.
int PrintFormats(bool as_json);

// An unused name such as "flame.svg" in the current folder if standard output is a terminal, which stacks would flood;
// empty for a file or a pipe.
std::string FileForTerminal();

// "Wrote flame.svg", and an event's functions with the largest self weight, for a terminal.
std::string WrittenText(const std::string& path, const Profile& profile, EventId event);

}  // namespace sparkprof
