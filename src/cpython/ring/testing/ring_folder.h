// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "cpython/ring/ring.h"

namespace sparkprof::testing {

// A folder for rings, removed at the end.
class RingFolder {
 public:
  RingFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sparkprof-rings-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
  }
  RingFolder(const RingFolder&) = delete;
  RingFolder& operator=(const RingFolder&) = delete;
  ~RingFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }

  const std::string& Path() const { return path_; }
  // Path of the ring of one process.
  std::string Ring(int64_t pid, int64_t start_ticks) const {
    return path_ + "/" + std::to_string(pid) + "-" + std::to_string(start_ticks) + kRingSuffix;
  }
  size_t Files() const {
    const std::filesystem::directory_iterator entries(path_);
    return static_cast<size_t>(std::distance(begin(entries), end(entries)));
  }

 private:
  std::string path_;
};

}  // namespace sparkprof::testing
