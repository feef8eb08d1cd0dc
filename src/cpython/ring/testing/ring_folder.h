// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/testing/folder_test.h"
#include "cpython/ring/ring.h"

namespace sparkprof::testing {

class RingFolder : public TemporaryFolder {
 public:
  std::string Ring(int64_t pid, int64_t start_ticks) const {
    return Path() + "/" + std::to_string(pid) + "-" + std::to_string(start_ticks) + kRingSuffix;
  }
  size_t Files() const {
    const std::filesystem::directory_iterator entries(Path());
    return static_cast<size_t>(std::distance(begin(entries), end(entries)));
  }
};

}  // namespace sparkprof::testing
