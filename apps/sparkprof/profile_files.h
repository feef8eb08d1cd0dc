// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"
#include "inputs/inputs.h"

namespace sparkprof {

// A profile or recording to read: a path, or a file of an archive.
struct ProfileFile {
  std::string path;            // for messages; "-" = standard input
  std::optional<Input> entry;  // of an archive
  bool is_recording = false;   // of sparkprof, or a folder or archive of them

  // Its content without compression.
  Result<std::unique_ptr<ByteSource>> Open() const;
};

// Whether the content is a recording of sparkprof. `format`: as --input-format gives it, empty to look.
bool IsRecording(const std::string& path, const std::string& format);

// Whether all named inputs can be read, and none has a recording.
bool AreOtherContent(const std::vector<std::string>& paths);

// Whether a file is an archive of files, compressed or not.
bool IsArchive(const std::string& path);

// "a.zstd: an event log, which has no samples; …" if there is one at a path that has no profile, else empty.
std::string DescribeEventLog(const std::string& path);

// The kind of content that starts with `head`, if no reader recognizes it: "a JVM heap dump (HPROF)", "text without
// stacks".
std::string_view FoundInstead(std::string_view head);

struct ProfileFiles {
  std::vector<std::string> paths;  // as named
  std::vector<ProfileFile> files;
  bool of_one_group = false;  // some are of a folder or an archive
  std::string why_empty;      // set if a folder or an archive has neither profiles nor recordings
};

// The inputs, with the profiles of any format in place of folders and archives without recordings. Prints the number of
// files that are skipped. `format`: as --input-format gives it.
Result<ProfileFiles> FindProfiles(const std::vector<std::string>& paths, const std::string& format);

}  // namespace sparkprof
