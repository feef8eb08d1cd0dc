// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/byte_source.h"
#include "base/result.h"
#include "inputs/inputs.h"
#include "model/samples/profile_builder.h"
#include "pictures/picture_request.h"
#include "pictures/select_profile.h"

namespace sparkprof {

// A profile or recording to read: a path, or a file in an archive.
struct ProfileFile {
  std::string path;            // for messages; "-" = standard input
  std::optional<Input> entry;  // set for a file in an archive
  bool is_recording = false;   // a recording of sparkprof, or a folder or archive of recordings

  // The decompressed content.
  Result<std::unique_ptr<ByteSource>> Open() const;
};

// Whether the content is a recording of sparkprof. `format`: value of --input-format; empty = detect.
bool IsRecording(const std::string& path, const std::string& format);

// Whether all named inputs are readable, and none contains a recording.
bool AreOtherContent(const std::vector<std::string>& paths);

// Whether a file is an archive of files, compressed or not.
bool IsArchive(const std::string& path);

// Returns "a.zstd: an event log, which has no samples; …" if there is one at a path without a profile, else empty.
std::string DescribeEventLog(const std::string& path);

// Kind of content that starts with `head` if no reader recognizes it: "a JVM heap dump (HPROF)", "text without stacks".
std::string_view FoundInstead(std::string_view head);

struct ProfileFiles {
  std::vector<std::string> paths;  // as named by the user
  std::vector<ProfileFile> files;
  bool of_one_group = false;  // some are in a folder or an archive
  std::string why_empty;      // set if a folder or an archive has neither profiles nor recordings
};

// The inputs, with folders and archives without recordings replaced by the profiles in them. Prints the number of
// skipped files. `format`: value of --input-format.
Result<ProfileFiles> FindProfiles(const std::vector<std::string>& paths, const std::string& format);

// Reads all inputs ("-" = standard input) into one application and selects its samples. Prints skipped data to standard
// error.
Result<LoadedProfile> LoadProfile(const std::vector<std::string>& paths, const PictureRequest& request,
                                  const ProfileNeeds& needs);

struct ForeignProfile {
  std::string format;     // "jfr"
  Profile profile;        // named after the input
  std::string why_empty;  // set if the content is not a profile
};

// Reads one profile of another tool completely. `format`: value of --input-format; empty = detect.
Result<ForeignProfile> LoadForeignProfile(const ProfileFile& file, const std::string& format, ProfileReadOptions read);

}  // namespace sparkprof
