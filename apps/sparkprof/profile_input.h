// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/profile_builder.h"
#include "pictures/picture_request.h"
#include "pictures/select_profile.h"
#include "profile_files.h"

namespace sparkprof {

// Reads all inputs ("-" = standard input) into one application and selects its samples. Prints skipped data to standard
// error.
Result<LoadedProfile> LoadProfile(const std::vector<std::string>& paths, const PictureRequest& request,
                                  const ProfileNeeds& needs);

// A complete profile of another format.
struct ForeignProfile {
  std::string format;     // "jfr"
  Profile profile;        // named after the input
  std::string why_empty;  // set if the content is not a profile
};

// Reads one profile of another tool completely. `format`: value of --input-format; empty = detect.
Result<ForeignProfile> LoadForeignProfile(const ProfileFile& file, const std::string& format, ProfileReadOptions read);

}  // namespace sparkprof
