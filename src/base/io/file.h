// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// Reads the complete file. Errors name the path and the system's reason.
Result<std::string> ReadFile(const std::string& path);

// Atomic: readers see either the old or the new file, and nothing is left on failure. See OutputFile.
Result<void> WriteFile(const std::string& path, std::string_view content);

// Makes the names in a folder durable.
Result<void> SyncFolder(const std::string& path);

// A read-only view of a file's bytes while the object exists. An empty file has an empty view.
class MappedFile {
 public:
  static Result<MappedFile> Open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view Bytes() const { return {data_, size_}; }

  // Releases the memory of the first `size` bytes; later accesses read them from the file again.
  void Release(size_t size) const;

 private:
  MappedFile(const char* data, size_t size) : data_(data), size_(size) {}

  const char* data_ = nullptr;
  size_t size_ = 0;
};

// An open file descriptor, closed with the object.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  int Get() const { return fd_; }
  bool IsOpen() const { return fd_ >= 0; }
  void Close();

 private:
  int fd_ = -1;
};

// Opens a user's input. For a named pipe, waits at most `wait_millis` until a program has opened it for writing.
Result<FileDescriptor> OpenInput(const std::string& path, int wait_millis = 10'000);

// Writes all of `bytes`, across partial writes and interrupts.
Result<void> WriteAll(int fd, std::string_view bytes, const std::string& path_for_errors);

// Formats "PATH: WHAT: No such file or directory" from errno.
Error SystemError(const std::string& path, const std::string& what);

// Makes unreadable parts of mapped files read as zeros, if the file became shorter or its disk fails. Otherwise the
// kernel ends the process with SIGBUS. For processes that read files which others may change, with readers that
// validate data. Replaces the handler of SIGBUS; call once, before threads are started.
void ReadZerosInMappedFaults();

// Applies this to the mapping at `begin` until ForgetMapped, unless there are thousands of mappings. No effect without
// ReadZerosInMappedFaults.
void TrackMapped(const void* begin, size_t size);
// Call before the mapping ends.
void ForgetMapped(const void* begin);

}  // namespace sparkprof
