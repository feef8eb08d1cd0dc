// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// A file to archive and its name in the archive.
struct ZipMember {
  std::string path;
  std::string name;
  std::string content{};  // used if `path` is empty
};

// Writes an uncompressed zip archive (event logs are usually compressed already) piece by piece. Fails if a file cannot
// be read, if the total size exceeds `max_bytes` (at most 2 GiB, which avoids zip64), or with the error of `write`.
Result<void> ZipFiles(const std::vector<ZipMember>& members, uint64_t max_bytes,
                      const std::function<Result<void>(std::string_view piece)>& write);

}  // namespace sparkprof
