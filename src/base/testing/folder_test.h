// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace sparkprof {

// A folder of its own, which is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(::testing::TempDir() + "sparkprof-XXXXXX") { EXPECT_NE(mkdtemp(path_.data()), nullptr); }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& Path() const { return path_; }

 private:
  std::string path_;
};

// For tests that write files. Names are relative to the folder.
class FolderTest : public ::testing::Test {
 protected:
  std::string Path(std::string_view name) const { return (std::filesystem::path(folder_) / name).string(); }

  // Also makes the folders that the file lies in. Returns its path.
  std::string Write(std::string_view name, std::string_view content) const {
    const std::string path = Path(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

 private:
  const TemporaryFolder temporary_;

 protected:
  std::string folder_ = temporary_.Path();
};

}  // namespace sparkprof
