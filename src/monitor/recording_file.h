// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/io/file.h"
#include "base/result.h"

namespace sparkprof {

// A recording to which complete blocks are appended. Blocks that cannot be written are dropped and counted; the file
// always ends with a complete block.
class RecordingFile {
 public:
  // Creates FOLDER/NAME.sprof, or adds a number if it exists.
  static Result<RecordingFile> Create(const std::string& folder, const std::string& name);

  // Fails if the block was dropped.
  Result<void> Append(std::string_view block);

  const std::string& Path() const { return path_; }
  int64_t Size() const { return size_; }

 private:
  RecordingFile(std::string path, FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  FileDescriptor file_;
  int64_t size_ = 0;
};

// Held while one monitor per host writes to a folder.
class MonitorLock {
 public:
  // Fails with the process ID of the other monitor if there is one.
  static Result<MonitorLock> Take(const std::string& folder, const std::string& host);

 private:
  explicit MonitorLock(FileDescriptor file) : file_(std::move(file)) {}

  FileDescriptor file_;
};

}  // namespace sparkprof
