// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace sparkprof {

// Output that is written as it is made, in large pieces: to standard output, to a pipe or device, or to a file that
// appears whole at Commit or not at all: it is written beside its place and renamed. Its mode is SharedFileMode(),
// without what a file that it replaces did not permit. A symbolic link of the user's own stays one; see RefusePlanted.
// Not thread-safe.
class OutputFile {
 public:
  // An empty path or "-" is standard output.
  static Result<OutputFile> Create(const std::string& path);

  // Everything is added to `*memory`, at Commit at the latest.
  static OutputFile ToMemory(std::string* memory);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  // Without a Commit before, nothing is left behind.
  ~OutputFile();

  void Append(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kPiece) Flush();
  }
  void Append(char c) { buffer_ += c; }
  void Append(int64_t number);

  // Everything has been appended. Fails when it could not be written.
  Result<void> Commit();

 private:
  static constexpr size_t kPiece = size_t{1} << 20;

  OutputFile(std::string path, FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  void Flush();

  std::string path_;       // for errors
  std::string temporary_;  // empty = nothing to rename
  std::string target_;     // what it is renamed to
  std::string* memory_ = nullptr;
  FileDescriptor file_;  // closed = standard output
  std::string buffer_;
  Result<void> written_;
};

}  // namespace sparkprof
