// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// A file for an archive, and its name there.
struct ZipMember {
  std::string path;
  std::string name;
  std::string content{};  // without a path
};

// Writes a zip archive of the files as they are stored, without compression: event logs mostly are compressed. Needs
// the memory of a piece of them. Fails if a file cannot be read, or if all are larger than `max_bytes` (at most 2 GiB,
// so that no sizes of zip64 are needed), or with the error of `write`.
Result<void> ZipFiles(const std::vector<ZipMember>& members, uint64_t max_bytes,
                      const std::function<Result<void>(std::string_view piece)>& write);

}  // namespace sparkprof
