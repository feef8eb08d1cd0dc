// SPDX-License-Identifier: Apache-2.0
#include "base/io/private_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace sparkprof {
namespace {

constexpr int kMaxLinks = 40;  // same limit as the kernel's

constexpr int kMaxDepth = 16;  // depth of folders; more indicates a loop of links

Sharing sharing = Sharing::kPrivate;
std::optional<mode_t> original_umask;

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// File systems without modes reject setting one.
bool HasNoModes(int error) { return error == EPERM || error == ENOTSUP || error == ENOSYS; }

Result<void> SetMode(int fd, mode_t mode, const std::string& path) {
  if (fchmod(fd, mode) == 0 || HasNoModes(errno)) return {};
  return tl::unexpected(SystemError(path, "cannot set its mode"));
}

bool IsTrusted(const struct stat& entry, const std::string& folder) {
  struct stat parent;
  if (stat(folder.c_str(), &parent) != 0 || (parent.st_mode & S_IWOTH) == 0) return true;
  return entry.st_uid == geteuid() || entry.st_uid == parent.st_uid;
}

Result<void> RefusePlantedBehind(const std::string& path, int links_left) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string entry = path.substr(0, end);
    struct stat status;
    if (lstat(entry.c_str(), &status) != 0) return {};
    const bool is_link = S_ISLNK(status.st_mode);
    const std::string folder = FolderOf(entry);
    if ((is_link || S_ISFIFO(status.st_mode)) && !IsTrusted(status, folder)) {
      return Fail(entry + ": " + (is_link ? "a symbolic link" : "a pipe") +
                  " of another user in a world-writable folder; use another name");
    }
    if (is_link) {
      char target[PATH_MAX];
      const ssize_t size = readlink(entry.c_str(), target, sizeof target);
      if (size < 0 || links_left == 0) return Fail(entry + ": cannot follow this symbolic link");
      const std::string behind(target, static_cast<size_t>(size));
      if (auto good = RefusePlantedBehind(behind.starts_with('/') ? behind : folder + "/" + behind, links_left - 1);
          !good) {
        return good;
      }
    }
    if (end == std::string::npos) return {};
  }
}

// See RestrictFolder.
struct Restriction {
  uid_t owner = 0;
  size_t changed = 0;

  Result<void> Apply(const std::string& path, int depth) {
    struct stat status;
    if (lstat(path.c_str(), &status) != 0) return {};  // was removed
    if (status.st_uid != geteuid() && status.st_uid != owner && status.st_uid != 0) {
      return Fail(path + ": belongs to another user, who could read or replace it; remove it");
    }
    if (S_ISLNK(status.st_mode)) {
      // A dangling link is rejected on use.
      if (stat(path.c_str(), &status) != 0) return {};
      if (status.st_uid != geteuid() && status.st_uid != owner) {
        return Fail(path + ": this symbolic link leads to what belongs to another user; remove it");
      }
    }
    const bool is_folder = S_ISDIR(status.st_mode);
    if (!is_folder && !S_ISREG(status.st_mode)) return {};
    const mode_t mode = status.st_mode & 07777;
    const mode_t restricted = mode & (is_folder ? SharedFolderMode() : SharedFileMode());
    if (mode != restricted) {
      const FileDescriptor entry(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
      const int failed = entry.IsOpen() ? fchmod(entry.Get(), restricted) : chmod(path.c_str(), restricted);
      if (failed != 0 && !HasNoModes(errno)) return tl::unexpected(SystemError(path, "cannot restrict its mode"));
      ++changed;
    }
    if (!is_folder) return {};
    if (depth == 0) return Fail(path + ": too deep; remove it");
    DIR* const entries = opendir(path.c_str());
    if (entries == nullptr) return tl::unexpected(SystemError(path, "cannot list"));
    Result<void> done;
    for (const dirent* entry = readdir(entries); done && entry != nullptr; entry = readdir(entries)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") done = Apply(path + "/" + name, depth - 1);
    }
    closedir(entries);
    return done;
  }
};

}  // namespace

std::optional<Sharing> ParseSharing(std::string_view name) {
  if (name == "private") return Sharing::kPrivate;
  if (name == "group") return Sharing::kGroup;
  if (name == "all") return Sharing::kAll;
  return std::nullopt;
}

void SetSharing(Sharing wanted) { sharing = wanted; }

mode_t SharedFileMode() { return sharing == Sharing::kPrivate ? 0600 : sharing == Sharing::kGroup ? 0640 : 0644; }

mode_t SharedFolderMode() { return sharing == Sharing::kPrivate ? 0700 : sharing == Sharing::kGroup ? 0750 : 0755; }

Result<void> RefusePlanted(const std::string& path) { return RefusePlantedBehind(path, kMaxLinks); }

Result<FileDescriptor> CreateNewFile(const std::string& path, int flags) {
  FileDescriptor file(open(path.c_str(), flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path, "cannot create"));
  if (auto set = SetMode(file.Get(), SharedFileMode(), path); !set) return tl::unexpected(set.error());
  return file;
}

Result<FileDescriptor> CreateUnguessableFile(std::string* path, std::string_view ending, int flags) {
  std::string name = *path + "XXXXXX" + std::string(ending);
  FileDescriptor file(mkostemps(name.data(), static_cast<int>(ending.size()), (flags & ~O_ACCMODE) | O_CLOEXEC));
  if (!file.IsOpen()) return tl::unexpected(SystemError(*path, "cannot create"));
  if (auto set = SetMode(file.Get(), SharedFileMode(), name); !set) {
    unlink(name.c_str());
    return tl::unexpected(set.error());
  }
  *path = std::move(name);
  return file;
}

Result<void> CreateNewFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0) return tl::unexpected(SystemError(path, "cannot create the folder"));
  const FileDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.IsOpen()) return tl::unexpected(SystemError(path, "cannot open the folder"));
  return SetMode(folder.Get(), SharedFolderMode(), path);
}

void RestrictUmask() {
  const mode_t before = umask(0777 & ~SharedFolderMode());
  if (!original_umask) original_umask = before;
}

void RestoreUmask() {
  if (original_umask) umask(*original_umask);
}

Result<size_t> RestrictFolder(const std::string& folder) {
  struct stat status;
  if (stat(folder.c_str(), &status) != 0) return tl::unexpected(SystemError(folder, "cannot read its mode"));
  if (status.st_uid != geteuid() && geteuid() != 0) {
    return Fail(folder + ": belongs to another user; run as that user, or use another folder");
  }
  Restriction restriction{.owner = status.st_uid};
  if (Result<void> done = restriction.Apply(folder, kMaxDepth); !done) return tl::unexpected(done.error());
  return restriction.changed;
}

Result<void> CreateFolders(const std::string& path) {
  if (auto good = RefusePlanted(path); !good) return good;
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string folder = path.substr(0, end);
    struct stat status;
    // A folder created concurrently by another process is fine.
    if (stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
      auto created = CreateNewFolder(folder);
      if (!created && (stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))) return created;
    }
    if (end == std::string::npos) return {};
  }
}

}  // namespace sparkprof
