// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// A file for an archive, and its name there.
struct ZipMember {
  std::string path;
  std::string name;
  std::string content{};  // without a path
};

// A zip archive of the files as they are stored, without compression: event logs mostly are compressed. Fails if a file
// cannot be read, or if all are larger than `max_bytes` (at most 2 GiB, so that no sizes of zip64 are needed).
Result<std::string> ZipFiles(const std::vector<ZipMember>& members, uint64_t max_bytes);

}  // namespace sparkprof
