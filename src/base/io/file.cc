// SPDX-License-Identifier: Apache-2.0
#include "base/io/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/io/output_file.h"

namespace sparkprof {

Result<void> SyncFolder(const std::string& path) {
  const FileDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.IsOpen() || fsync(folder.Get()) != 0) return tl::unexpected(SystemError(path, "cannot sync"));
  return {};
}

Error SystemError(const std::string& path, const std::string& what) {
  return Error{path + ": " + what + ": " + std::strerror(errno)};
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

FileDescriptor::~FileDescriptor() { Close(); }

void FileDescriptor::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Result<void> WriteAll(int fd, std::string_view bytes, const std::string& path_for_errors) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return tl::unexpected(SystemError(path_for_errors, "cannot write"));
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

namespace {

// Whether any process has opened the pipe for writing so far. Reads nothing from it.
bool HasWriter(int pipe, int spare_pipe) {
  pollfd ready{pipe, POLLIN, 0};
  if (poll(&ready, 1, 0) > 0) return true;
  // Without data, tee fails with EAGAIN if there is a writer, and returns 0 otherwise.
  return tee(pipe, spare_pipe, 1, SPLICE_F_NONBLOCK) != 0;
}

Result<void> WaitForWriter(int pipe, const std::string& path, int wait_millis) {
  int spare[2];
  if (pipe2(spare, O_CLOEXEC) != 0) return tl::unexpected(SystemError(path, "cannot wait for a writer"));
  const FileDescriptor spare_out(spare[0]), spare_in(spare[1]);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_millis);
  while (!HasWriter(pipe, spare_in.Get())) {
    if (std::chrono::steady_clock::now() >= deadline) {
      return Fail(path + ": no program opened this pipe for writing within " + std::to_string(wait_millis / 1000) +
                  " s; start the writer first");
    }
    pollfd ready{pipe, POLLIN, 0};
    poll(&ready, 1, 20);
  }
  return {};
}

}  // namespace

Result<FileDescriptor> OpenInput(const std::string& path, int wait_millis) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path, "cannot open"));
  struct stat status;
  if (fstat(file.Get(), &status) != 0) return tl::unexpected(SystemError(path, "cannot read its size"));
  if (S_ISFIFO(status.st_mode)) {
    if (auto waited = WaitForWriter(file.Get(), path, wait_millis); !waited) return tl::unexpected(waited.error());
  }
  if (fcntl(file.Get(), F_SETFL, 0) != 0) return tl::unexpected(SystemError(path, "cannot open"));
  return file;
}

Result<std::string> ReadFile(const std::string& path) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path, "cannot open"));
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = read(file.Get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(SystemError(path, "cannot read"));
    if (got == 0) return content;
    content.append(buffer, static_cast<size_t>(got));
  }
}

Result<void> WriteFile(const std::string& path, std::string_view content) {
  Result<OutputFile> file = OutputFile::Create(path);
  if (!file) return tl::unexpected(file.error());
  file->Append(content);
  return file->Commit();
}

Result<MappedFile> MappedFile::Open(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path, "cannot open"));
  struct stat status;
  if (fstat(file.Get(), &status) != 0) return tl::unexpected(SystemError(path, "cannot read its size"));
  if (!S_ISREG(status.st_mode)) return Fail(path + ": not a regular file");
  if (status.st_size == 0) return MappedFile(nullptr, 0);
  void* const data = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file.Get(), 0);
  if (data == MAP_FAILED) return tl::unexpected(SystemError(path, "cannot map"));
  TrackMapped(data, static_cast<size_t>(status.st_size));
  return MappedFile(static_cast<const char*>(data), static_cast<size_t>(status.st_size));
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void MappedFile::Release(size_t size) const {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t whole_pages = std::min(size, size_) / page * page;
  if (whole_pages > 0) madvise(const_cast<char*>(data_), whole_pages, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  ForgetMapped(data_);
  munmap(const_cast<char*>(data_), size_);
}

}  // namespace sparkprof
