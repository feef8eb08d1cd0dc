// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/result.h"
#include "inputs/inputs.h"

namespace sparkprof {

struct WalkedFile {
  std::string path;  // for display
  int64_t size = 0;
  int64_t changed_ns = 0;                           // last change, since the Unix epoch
  bool named = false;                               // named by the user, instead of found below a folder
  std::string file;                                 // path to open; differs from `path` for a pipe
  std::shared_ptr<const FileDescriptor> pipe_copy;  // keeps a pipe's `file`
};

struct Walk {
  std::vector<WalkedFile> files;  // sorted by path
  std::vector<Unrecognized> left_out;
  std::vector<std::string> notes;
};

// Finds all regular files below `paths`, and pipes among them ("-" = standard input), which are copied to an unnamed
// temporary file because logs are inspected before they are read. Follows symbolic links, but visits each folder and
// file once, so loops end. Respects `limits`.
Result<Walk> WalkFiles(const std::vector<std::string>& paths, const InputLimits& limits);

}  // namespace sparkprof
