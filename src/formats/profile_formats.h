// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/io/file.h"
#include "base/result.h"
#include "formats/readers.h"

namespace sparkprof {

// A foreign format of profiles that sparkprof reads. One line for each in profile_formats.cc.
struct ProfileFormat {
  std::string_view name;         // as accepted by --input-format
  std::string_view description;  // for display
  FormatTest* looks_like;
  FormatReader* read;
  // For a file that is not compressed, where that is faster; may be null.
  Result<void> (*read_file)(const MappedFile& file, ProfileBuilder* builder) = nullptr;
  std::string_view suffixes;  // usual endings of file names, separated by blanks; for display
};

// In the order in which content is compared with them.
std::span<const ProfileFormat> ProfileFormats();

// Finds a format by name; null if unknown.
const ProfileFormat* FindProfileFormat(std::string_view name);

// Calls read(), which reads the local file `name`; fails if it needs more memory than a profile can be worth.
Result<void> ReadLocalProfile(const std::string& name, const std::function<Result<void>()>& read);

// The format of content that starts with `head` (up to kFormatHeadSize bytes, decompressed); null if unknown.
const ProfileFormat* RecognizeProfileFormat(std::string_view head);

// The kind of content that starts with `head`, if it is a known format that sparkprof does not read: "a heap dump of
// the JVM (HPROF)"; empty if unknown. For messages.
std::string_view NameOfUnreadFormat(std::string_view head);

// Whether it is one whose lines look like those of formats that are read.
bool IsUnreadLookalike(std::string_view head);

}  // namespace sparkprof
