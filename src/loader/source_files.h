// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/samples/profile.h"

namespace sparkprof {

struct SourceFile {
  std::string path;  // relative to the folder
  std::string text;  // UTF-8, redacted
};

struct SourceFiles {
  std::vector<SourceFile> files;
  std::vector<int32_t> file_of_frame;  // by FrameId: row of `files`; -1 = none
  std::string left_out;                // a sentence about omitted files; empty = none

  int32_t FileOf(FrameId frame) const { return frame < file_of_frame.size() ? file_of_frame[frame] : -1; }
};

// Limits of FindSources. Pages contain the files, so limits are small.
struct SourceLimits {
  size_t entries = 200'000;             // files and folders below the folder
  size_t file_bytes = size_t{1} << 20;  // larger files are omitted
  size_t all_bytes = size_t{4} << 20;
};

// Finds the files below `folder` for frames with a line: by the package of a JVM class, or the path of a Python
// function. Omits a file name with several equally good matches. The user's code takes precedence over libraries. Does
// not follow symbolic links or enter hidden folders, so no path leaves the folder. `redact` removes secrets from a
// text. Fails if the folder cannot be read.
Result<SourceFiles> FindSources(const Profile& profile, const std::string& folder,
                                const std::function<std::string(std::string_view)>& redact,
                                const SourceLimits& limits = {});

}  // namespace sparkprof
