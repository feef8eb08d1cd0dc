// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace sparkprof {

struct CopyLimits {
  uint64_t max_bytes = uint64_t{64} << 30;
  size_t max_files = 100'000;
};

// Copies a file, or all files of a folder, from HDFS or an object store into the existing `folder`, several at a time.
// Returns the path of the copy, which keeps the name of the file or folder. Calls `on_bytes` from any thread with the
// number of bytes received.
Result<std::string> CopyStored(const std::string& location, const std::string& folder, const CopyLimits& limits,
                               const std::function<void(uint64_t bytes)>& on_bytes);

}  // namespace sparkprof
