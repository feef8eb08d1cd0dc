// SPDX-License-Identifier: Apache-2.0
#include "spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/io/private_file.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kLastBlockAllowance = 64 << 10;
constexpr std::string_view kExtension = ".sprof";

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Reads from an open file, which may have been deleted.
Result<void> CopyContent(int from, const std::string& from_path, int to, const std::string& to_path, int64_t size) {
  std::string buffer(1 << 16, '\0');
  for (int64_t offset = 0; offset < size;) {
    const auto wanted = static_cast<size_t>(std::min<int64_t>(size - offset, static_cast<int64_t>(buffer.size())));
    const ssize_t got = pread(from, buffer.data(), wanted, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(SystemError(from_path, "cannot read"));
    if (got == 0) break;
    if (auto written = WriteAll(to, {buffer.data(), static_cast<size_t>(got)}, to_path); !written) return written;
    offset += got;
  }
  return {};
}

// Creates the folder for its owner only. Also accepts an existing one that is not a link and belongs to this user, or,
// if `shared`, one in which others cannot replace this user's files.
Result<void> MakePrivateFolder(const std::string& path, bool shared) {
  if (mkdir(path.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) return tl::unexpected(SystemError(path, "cannot create the folder"));
  struct stat status;
  if (lstat(path.c_str(), &status) != 0) return tl::unexpected(SystemError(path, "cannot read its owner"));
  const bool safe = status.st_uid == geteuid() || (shared && (status.st_uid == 0 || (status.st_mode & S_ISVTX) != 0));
  if (S_ISDIR(status.st_mode) && safe) return {};
  return Fail(path + ": belongs to another user or is not a folder; remove it or set spark.sparkprof.nodeDir");
}

Result<void> CreateParentFolders(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? RefusePlanted(path) : CreateFolders(path.substr(0, slash));
}

// Continues a recording of an earlier process with this name, which is possible because blocks are self-contained.
// Never writes to other files.
Result<FileDescriptor> OpenOwn(const std::string& path) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path, "cannot open"));
  struct stat status;
  if (fstat(file.Get(), &status) != 0) return tl::unexpected(SystemError(path, "cannot read its size"));
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() || status.st_nlink != 1) {
    return Fail(path + ": not a recording of this user");
  }
  fchmod(file.Get(), status.st_mode & SharedFileMode());
  return file;
}

}  // namespace

Result<FileDescriptor> Spool::CreateOrContinue(std::string* path) {
  Result<FileDescriptor> file = CreateNewFile(*path, O_RDWR | O_APPEND);
  struct stat status;
  if (file || lstat(path->c_str(), &status) != 0) return file;
  file = OpenOwn(*path);
  if (file) return file;
  // A file planted or left behind by another user.
  const std::string reason = file.error().message;
  if (path->ends_with(kExtension)) path->resize(path->size() - kExtension.size());
  *path += "-";
  file = CreateUnguessableFile(path, kExtension, O_RDWR | O_APPEND);
  if (file) on_trouble_(reason + "; the recording goes to " + *path);
  return file;
}

Result<void> Spool::OpenFile(const std::string& wanted) {
  if (auto created = CreateParentFolders(wanted); !created) return created;
  std::string path = wanted;
  Result<FileDescriptor> file = CreateOrContinue(&path);
  if (!file) return tl::unexpected(file.error());
  flock(file->Get(), LOCK_EX | LOCK_NB);
  struct stat status;
  if (fstat(file->Get(), &status) != 0) return tl::unexpected(SystemError(path, "cannot read its size"));
  file_ = std::move(*file);
  path_ = path;
  size_ = status.st_size;
  deleted_ = false;
  return {};
}

Result<void> Spool::OpenInNodeDir(const std::string& name) {
  const std::string path = node_dir_ + "/" + name;
  // Only the last two folders are created for recordings; other users must not be able to put links into them.
  const std::string parent = node_dir_.substr(0, node_dir_.rfind('/'));
  if (auto created = CreateParentFolders(parent); !created) return created;
  if (auto made = MakePrivateFolder(parent, true); !made) return made;
  if (auto made = MakePrivateFolder(node_dir_, false); !made) return made;
  return OpenFile(path);
}

void Spool::Open(const std::string& path, const std::string& node_dir, int64_t max_bytes) {
  node_dir_ = node_dir;
  max_bytes_ = max_bytes;
  if (path.empty()) return;
  path_ = path;
  const auto opened = OpenFile(path);
  if (opened) return;
  on_trouble_(opened.error().message);
  if (node_dir_.empty()) return;
  const auto opened_there = OpenInNodeDir(FileName(path));
  if (!opened_there) on_trouble_(opened_there.error().message);
}

void Spool::MoveTo(const std::string& path) {
  if (path.empty() || path == path_) return;
  RescueDeleted();
  if (!file_.IsOpen()) return Open(path, node_dir_, max_bytes_);
  auto moved = CreateParentFolders(path);
  if (moved && rename(path_.c_str(), path.c_str()) == 0) {
    path_ = path;
    return;
  }
  if (moved && errno == EXDEV) {
    const std::string old_path = path_;
    const int64_t old_size = size_;
    const FileDescriptor old = std::move(file_);
    moved = OpenFile(path);
    if (moved) moved = CopyContent(old.Get(), old_path, file_.Get(), path_, old_size);
    if (moved) {
      unlink(old_path.c_str());
      size_ += old_size;
      return;
    }
  } else if (moved) {
    moved = tl::unexpected(SystemError(path_, "cannot rename to " + path));
  }
  on_trouble_(moved.error().message);
}

void Spool::RescueDeleted() {
  struct stat status;
  if (!file_.IsOpen() || fstat(file_.Get(), &status) != 0 || status.st_nlink > 0) return;
  if (!node_dir_.empty()) {
    const FileDescriptor old = std::move(file_);
    const std::string old_path = path_;
    const int64_t old_size = size_;
    auto rescued = OpenInNodeDir(FileName(old_path));
    if (rescued) rescued = CopyContent(old.Get(), old_path, file_.Get(), path_, old_size);
    if (rescued) {
      size_ += old_size;
      return on_trouble_(old_path + " was deleted; the recording continues in " + path_);
    }
    on_trouble_(rescued.error().message);
  }
  file_.Close();
  deleted_ = true;
}

void Spool::Append(std::string_view block, bool last) {
  RescueDeleted();
  if (deleted_) return Drop(block.size(), "recording deleted", path_ + " was deleted: recording ends");
  if (!file_.IsOpen()) {
    if (!path_.empty()) Drop(block.size(), "recording not created", path_ + ": recording not created");
    return;
  }
  const int64_t limit = max_bytes_ + (last ? kLastBlockAllowance : 0);
  if (max_bytes_ > 0 && size_ + static_cast<int64_t>(block.size()) > limit) {
    return Drop(block.size(), "size limit of the recording reached",
                path_ + " reached its size limit, " + FormatBytes(max_bytes_) + ": further data is not recorded");
  }
  if (const auto written = WriteAll(file_.Get(), block, path_); !written) {
    // Removes a partial block.
    if (ftruncate(file_.Get(), size_) != 0) size_ = lseek(file_.Get(), 0, SEEK_END);
    return Drop(block.size(), "writing failed", written.error().message);
  }
  size_ += static_cast<int64_t>(block.size());
}

void Spool::Drop(size_t size, const std::string& reason, const std::string& trouble) {
  int64_t& dropped = dropped_bytes_[reason];
  if (dropped == 0) on_trouble_(trouble);
  dropped += static_cast<int64_t>(size);
}

void Spool::Restart() {
  if (!file_.IsOpen() || !path_.ends_with(kExtension)) return;
  std::string path = path_.substr(0, path_.size() - kExtension.size()) + "-";
  auto next = CreateUnguessableFile(&path, kExtension, O_RDWR | O_APPEND);
  if (!next) return;
  flock(next->Get(), LOCK_EX | LOCK_NB);
  if (rename(path.c_str(), path_.c_str()) != 0) {
    unlink(path.c_str());
    return;
  }
  file_ = std::move(*next);
  base_ += size_;
  size_ = 0;
}

void Spool::Close() {
  RescueDeleted();
  file_.Close();
}

}  // namespace sparkprof
