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

// A profile of another format, with all that it has.
struct ForeignProfile {
  std::string format;     // "jfr"
  Profile profile;        // its name is the input's
  std::string why_empty;  // set if the content is no profile
};

// Reads one foreign profile whole. `format`: as --input-format gives it, empty to look.
Result<ForeignProfile> LoadForeignProfile(const ProfileFile& file, const std::string& format, ProfileReadOptions read);

}  // namespace sparkprof
