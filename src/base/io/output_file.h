// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/io/file.h"
#include "base/result.h"

namespace sparkprof {

// Output in large pieces to standard output, a pipe or a device, or to a file that appears completely at Commit or not
// at all (a temporary file is renamed). Its mode is SharedFileMode(), without bits that the replaced file lacked. Keeps
// the user's symbolic links; see RefusePlanted. Not thread-safe.
class OutputFile {
 public:
  // An empty path, "-" and /dev/stdout mean standard output. `pack` compresses each piece to a separate stream; the
  // concatenated pieces must form a valid file.
  using Pack = std::string (*)(std::string_view piece);
  static Result<OutputFile> Create(const std::string& path, Pack pack = nullptr);

  // Adds everything to `*memory`, at Commit at the latest.
  static OutputFile ToMemory(std::string* memory);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  // Leaves nothing behind without a Commit.
  ~OutputFile();

  void Append(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kPiece) Flush();
  }
  void Append(char c) { buffer_ += c; }
  void Append(int64_t number);

  // Call after appending everything. Fails if it could not be written.
  Result<void> Commit();

 private:
  static constexpr size_t kPiece = size_t{1} << 20;

  OutputFile(std::string path, FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  static Result<OutputFile> Open(const std::string& path);
  void Flush();

  std::string path_;       // for errors
  std::string temporary_;  // empty = nothing to rename
  std::string target_;     // final path
  std::string* memory_ = nullptr;
  FileDescriptor file_;  // closed = standard output
  Pack pack_ = nullptr;
  bool is_empty_ = true;  // nothing was written yet
  std::string buffer_;
  Result<void> written_;
};

}  // namespace sparkprof
