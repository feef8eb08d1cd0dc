// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "pictures/picture_request.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {

// Determines which argument is the output (ResolveOutput), and finishes the request. Returns whether the output was
// named after the input.
Result<bool> FinishRequest(PictureKind kind, std::vector<std::string>* inputs, PictureRequest* request);

// Writes the profile to the request's output; leaves no file on failure.
Result<void> WriteProfile(const Application& application, const PictureRequest& request,
                          const ProfileWriteOptions& write_options);

}  // namespace sparkprof
