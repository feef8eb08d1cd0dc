// SPDX-License-Identifier: Apache-2.0
#include "inputs/file_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/hash_index.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr std::string_view kStandardInput = "-";
constexpr size_t kPipeBytes = size_t{1} << 16;

struct FileIdentity {
  dev_t device;
  ino_t inode;
  bool operator==(const FileIdentity&) const = default;
};

struct FileIdentityHash {
  size_t operator()(const FileIdentity& file) const {
    return MixHash(static_cast<uint64_t>(file.inode) ^ MixHash(static_cast<uint64_t>(file.device)));
  }
};

// Copies a pipe to an unnamed temporary file.
Result<FileDescriptor> CopyPipe(const std::string& path) {
  const Result<FileDescriptor> pipe =
      path == kStandardInput ? FileDescriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)) : OpenInput(path);
  if (!pipe) return tl::unexpected(pipe.error());
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "sparkprof-pipe-XXXXXX").string();
  FileDescriptor copy(mkostemp(name.data(), O_CLOEXEC));
  if (!copy.IsOpen()) return tl::unexpected(SystemError(name, "cannot create a temporary file for " + path));
  unlink(name.c_str());
  std::vector<char> buffer(kPipeBytes);
  for (;;) {
    const ssize_t got = read(pipe->Get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(SystemError(path, "cannot read"));
    if (got == 0) return copy;
    const std::string_view bytes(buffer.data(), static_cast<size_t>(got));
    if (const Result<void> written = WriteAll(copy.Get(), bytes, name); !written)
      return tl::unexpected(written.error());
  }
}

int64_t ChangedNanos(const struct stat& status) {
  return int64_t{status.st_mtim.tv_sec} * kNanosPerSecond + status.st_mtim.tv_nsec;
}

class Walker {
 public:
  explicit Walker(const InputLimits& limits) : limits_(limits) {}

  Result<void> AddNamed(const std::string& path) {
    struct stat status;
    if (path == kStandardInput) return AddPipe(path);
    if (stat(path.c_str(), &status) != 0) return tl::unexpected(SystemError(path, "cannot open"));
    if (S_ISFIFO(status.st_mode)) return AddPipe(path);
    if (S_ISDIR(status.st_mode)) {
      const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
      if (folder == nullptr) return tl::unexpected(SystemError(path, "cannot list"));
      AddFolder(path, status, 0);
      return {};
    }
    if (!S_ISREG(status.st_mode)) return Fail(path + ": expected a file, a folder or a pipe");
    if (access(path.c_str(), R_OK) != 0) return tl::unexpected(SystemError(path, "cannot open"));
    AddFile(path, status, true);
    return {};
  }

  Walk Take() {
    if (over_quota_ > 0) {
      walk_.notes.push_back(
          fmt::format("more than {} files, the limit of --max-files: the rest is skipped", limits_.max_files));
    }
    std::sort(walk_.files.begin(), walk_.files.end(),
              [](const WalkedFile& a, const WalkedFile& b) { return a.path < b.path; });
    return std::move(walk_);
  }

 private:
  Result<void> AddPipe(const std::string& path) {
    Result<FileDescriptor> copied = CopyPipe(path);
    if (!copied) return tl::unexpected(copied.error());
    auto copy = std::make_shared<const FileDescriptor>(std::move(*copied));
    struct stat status;
    if (fstat(copy->Get(), &status) != 0) return tl::unexpected(SystemError(path, "cannot read the size of its copy"));
    walk_.files.push_back(
        {path, status.st_size, ChangedNanos(status), true, "/proc/self/fd/" + std::to_string(copy->Get()), copy});
    return {};
  }

  void AddFile(const std::string& path, const struct stat& status, bool named) {
    if (!seen_.insert({status.st_dev, status.st_ino}).second) return;
    if (static_cast<int64_t>(walk_.files.size()) >= limits_.max_files) {
      ++over_quota_;
      return;
    }
    walk_.files.push_back({path, status.st_size, ChangedNanos(status), named, path, nullptr});
  }

  void AddFolder(const std::string& path, const struct stat& status, int depth) {
    if (over_quota_ > 0 || !seen_.insert({status.st_dev, status.st_ino}).second) return;
    if (depth > limits_.max_depth) {
      walk_.left_out.push_back({path, fmt::format("nested more than {} folders deep", limits_.max_depth)});
      return;
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
    if (folder == nullptr) {
      walk_.left_out.push_back({path, std::string("cannot list: ") + std::strerror(errno)});
      return;
    }
    const std::string prefix = path.ends_with('/') ? path : path + "/";
    while (const dirent* const entry = readdir(folder.get())) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") AddEntry(dirfd(folder.get()), entry->d_name, prefix + entry->d_name, depth);
      if (over_quota_ > 0) return;
    }
  }

  void AddEntry(int folder, const char* name, std::string path, int depth) {
    struct stat status;
    if (fstatat(folder, name, &status, 0) != 0) {
      walk_.left_out.push_back({std::move(path), std::string("cannot open: ") + std::strerror(errno)});
    } else if (S_ISDIR(status.st_mode)) {
      AddFolder(path, status, depth + 1);
    } else if (S_ISREG(status.st_mode)) {
      AddFile(path, status, false);
    } else {
      walk_.left_out.push_back({std::move(path), "not a regular file"});
    }
  }

  const InputLimits limits_;
  std::unordered_set<FileIdentity, FileIdentityHash> seen_;
  Walk walk_;
  int64_t over_quota_ = 0;
};

}  // namespace

Result<Walk> WalkFiles(const std::vector<std::string>& paths, const InputLimits& limits) {
  Walker walker(limits);
  for (const std::string& path : paths) {
    if (const Result<void> added = walker.AddNamed(path); !added) return tl::unexpected(added.error());
  }
  return walker.Take();
}

}  // namespace sparkprof
