// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/profile.h"

namespace sparkprof {

struct SourceFile {
  std::string path;  // below the folder
  std::string text;  // UTF-8, without secrets
};

// Source code of a profile's frames.
struct SourceFiles {
  std::vector<SourceFile> files;
  std::vector<int32_t> file_of_frame;  // by FrameId: a row of `files`, -1 = none
  std::string left_out;                // a sentence about files that are not here; empty = none

  int32_t FileOf(FrameId frame) const { return frame < file_of_frame.size() ? file_of_frame[frame] : -1; }
};

// Limits of FindSources. A page holds the files, so they are few.
struct SourceLimits {
  size_t entries = 200'000;             // files and folders below the folder
  size_t file_bytes = size_t{1} << 20;  // larger files are left out
  size_t all_bytes = size_t{4} << 20;
};

// The files below `folder` that frames with a line come from: by the package of a JVM's class, or the path of a Python
// function; a name that several files have equally is left out. Files of the user's code come before those of
// libraries. Symbolic links and hidden folders are not followed, so that no path leaves the folder. `redact` takes the
// secrets out of a text. Fails when the folder cannot be read.
Result<SourceFiles> FindSources(const Profile& profile, const std::string& folder,
                                const std::function<std::string(std::string_view)>& redact,
                                const SourceLimits& limits = {});

}  // namespace sparkprof
