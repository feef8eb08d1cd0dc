// SPDX-License-Identifier: Apache-2.0
#include "base/io/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/io/file.h"

namespace sparkprof {
namespace {

std::atomic<uint64_t> bytes_read_from_files = 0;

class FileSource : public ByteSource {
 public:
  FileSource(FileDescriptor file, std::string path, int64_t offset, int64_t size)
      : file_(std::move(file)), path_(std::move(path)), offset_(offset), left_(size) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    const size_t wanted = static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(size), left_));
    if (wanted == 0) return 0;
    for (;;) {
      const ssize_t got = read(file_.Get(), bytes, wanted);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        left_ = 0;
        return tl::unexpected(SystemError(path_, fmt::format("cannot read at byte {}", offset_)));
      }
      left_ = got == 0 ? 0 : left_ - got;
      offset_ += got;
      CountBytesRead(static_cast<uint64_t>(got));
      return static_cast<size_t>(got);
    }
  }

 private:
  FileDescriptor file_;
  std::string path_;
  int64_t offset_;
  int64_t left_;
};

class MemorySource : public ByteSource {
 public:
  MemorySource(std::string_view bytes, std::shared_ptr<const void> owner) : owner_(std::move(owner)), left_(bytes) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    const size_t count = std::min(size, left_.size());
    if (count > 0) std::memcpy(bytes, left_.data(), count);
    left_.remove_prefix(count);
    return count;
  }

 private:
  const std::shared_ptr<const void> owner_;
  std::string_view left_;
};

class HeadedByteSource : public ByteSource {
 public:
  HeadedByteSource(std::string head, std::optional<Error> error, std::unique_ptr<ByteSource> rest)
      : head_(std::move(head)), error_(std::move(error)), rest_(std::move(rest)) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    if (at_ == head_.size()) {
      if (error_) return tl::unexpected(*std::exchange(error_, std::nullopt));
      return rest_->Read(bytes, size);
    }
    const size_t count = std::min(size, head_.size() - at_);
    std::memcpy(bytes, head_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  const std::string head_;
  size_t at_ = 0;
  std::optional<Error> error_;
  const std::unique_ptr<ByteSource> rest_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenFileSource(const std::string& path, int64_t offset, int64_t size) {
  Result<FileDescriptor> file = OpenInput(path);
  if (!file) return tl::unexpected(file.error());
  struct stat status;
  if (fstat(file->Get(), &status) != 0) return tl::unexpected(SystemError(path, "cannot read its size"));
  if (S_ISDIR(status.st_mode)) return Fail(path + ": a folder, expected a file");
  if (offset > 0 && lseek(file->Get(), offset, SEEK_SET) < 0) {
    return tl::unexpected(SystemError(path, fmt::format("cannot seek to byte {}", offset)));
  }
  return std::make_unique<FileSource>(std::move(*file), path, offset, size);
}

uint64_t BytesReadFromFiles() { return bytes_read_from_files.load(std::memory_order_relaxed); }

void CountBytesRead(uint64_t bytes) { bytes_read_from_files.fetch_add(bytes, std::memory_order_relaxed); }

std::unique_ptr<ByteSource> ViewSource(std::string_view bytes, std::shared_ptr<const void> owner) {
  return std::make_unique<MemorySource>(bytes, std::move(owner));
}

std::unique_ptr<ByteSource> StringSource(std::string bytes) {
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  return ViewSource(*owner, owner);
}

std::unique_ptr<ByteSource> HeadedSource(std::string head, std::optional<Error> error,
                                         std::unique_ptr<ByteSource> rest) {
  return std::make_unique<HeadedByteSource>(std::move(head), std::move(error), std::move(rest));
}

Result<std::string> ReadAll(ByteSource* source, size_t max_size, const std::string& name) {
  std::string all;
  char buffer[1 << 16];
  for (;;) {
    const Result<size_t> got = source->Read(buffer, sizeof buffer);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return all;
    if (*got > max_size - all.size()) return Fail(fmt::format("{}: more than {} bytes", name, max_size));
    all.append(buffer, *got);
  }
}

Result<std::string> ReadAll(const std::string& path, size_t max_size) {
  const Result<std::unique_ptr<ByteSource>> source = OpenFileSource(path);
  if (!source) return tl::unexpected(source.error());
  return ReadAll(source->get(), max_size, path);
}

std::string ReadUpTo(ByteSource* source, size_t size, std::optional<Error>* error) {
  // `size` may be a limit far above the actual size, so memory grows with the data.
  constexpr size_t kFirstStep = size_t{4} << 10;
  std::string bytes;
  size_t filled = 0;
  while (filled < size) {
    if (filled == bytes.size()) bytes.resize(std::min(size, std::max(kFirstStep, filled * 2)));
    const Result<size_t> got = source->Read(bytes.data() + filled, bytes.size() - filled);
    if (!got) *error = got.error();
    if (!got || *got == 0) break;
    filled += *got;
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace sparkprof
