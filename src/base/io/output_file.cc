// SPDX-License-Identifier: Apache-2.0
#include "base/io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/answer_limit.h"
#include "base/io/private_file.h"

namespace sparkprof {

namespace {

// A redirected standard output may be a regular file, which must not be replaced: >> appends to it.
bool IsStandardOutput(std::string_view path) {
  return path.empty() || path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

}  // namespace

Result<OutputFile> OutputFile::Create(const std::string& path, Pack pack) {
  Result<OutputFile> output = Open(path);
  if (output) output->pack_ = pack;
  return output;
}

Result<OutputFile> OutputFile::Open(const std::string& path) {
  if (IsStandardOutput(path)) return OutputFile("standard output", FileDescriptor());
  if (auto good = RefusePlanted(path); !good) return tl::unexpected(good.error());
  // Writes to a pipe or device directly.
  struct stat status;
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    FileDescriptor device(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!device.IsOpen()) return tl::unexpected(SystemError(path, "cannot open"));
    return OutputFile(path, std::move(device));
  }
  std::error_code is_new;
  const std::filesystem::path existing = std::filesystem::canonical(path, is_new);
  const std::string target = is_new ? path : existing.string();
  std::string temporary = target + ".part-";
  Result<FileDescriptor> file = CreateUnguessableFile(&temporary, "", O_WRONLY);
  if (!file) return tl::unexpected(SystemError(path, "cannot create"));
  // The replaced file may have been readable for fewer users.
  if (exists) fchmod(file->Get(), SharedFileMode() & status.st_mode);
  OutputFile output(path, std::move(*file));
  output.temporary_ = temporary;
  output.target_ = target;
  return output;
}

OutputFile OutputFile::ToMemory(std::string* memory) {
  OutputFile output("memory", FileDescriptor());
  output.memory_ = memory;
  return output;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      target_(std::move(other.target_)),
      memory_(other.memory_),
      file_(std::move(other.file_)),
      pack_(other.pack_),
      is_empty_(other.is_empty_),
      buffer_(std::move(other.buffer_)),
      written_(std::move(other.written_)) {}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::Append(int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  Append(std::string_view(digits, static_cast<size_t>(end - digits)));
}

void OutputFile::Flush() {
  // An empty file consists of one empty piece.
  if (pack_ != nullptr && (is_empty_ || !buffer_.empty())) buffer_ = pack_(buffer_);
  is_empty_ = false;
  if (memory_ != nullptr) {
    CheckAnswerSize(memory_->size() + buffer_.size());
    *memory_ += buffer_;
    buffer_.clear();
    return;
  }
  if (written_) written_ = WriteAll(file_.IsOpen() ? file_.Get() : STDOUT_FILENO, buffer_, path_);
  buffer_.clear();
}

Result<void> OutputFile::Commit() {
  Flush();
  if (temporary_.empty()) return written_;
  file_.Close();
  if (written_ && rename(temporary_.c_str(), target_.c_str()) != 0) {
    written_ = tl::unexpected(SystemError(path_, "cannot rename into place"));
  }
  if (written_) temporary_.clear();
  return written_;
}

}  // namespace sparkprof
