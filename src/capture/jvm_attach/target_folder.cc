// SPDX-License-Identifier: Apache-2.0
#include "capture/jvm_attach/target_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "base/io/byte_source.h"

namespace sparkprof {
namespace {

constexpr size_t kRandomLetters = 8;
constexpr size_t kMaxText = size_t{1} << 20;

std::string RandomLetters() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device source;
  std::string text;
  for (size_t i = 0; i < kRandomLetters; ++i) text += kLetters[source() % kLetters.size()];
  return text;
}

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string WorkingDirectory(const TargetProcess& target) {
  char path[4096];
  const ssize_t size = readlink(("/proc/" + std::to_string(target.pid) + "/cwd").c_str(), path, sizeof path);
  return size <= 0 ? "" : std::string(path, static_cast<size_t>(size));
}

struct CloseTargetFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

}  // namespace

TargetFolder::TargetFolder(const TargetProcess& target, FileDescriptor parent, FileDescriptor folder, std::string path)
    : uid_(target.uid),
      gid_(target.gid),
      parent_(std::move(parent)),
      folder_(std::move(folder)),
      path_(std::move(path)) {}

Result<TargetFolder> TargetFolder::Create(const TargetProcess& target) {
  std::string tried;
  for (const std::string& place :
       {std::string("/tmp"), std::string("/dev/shm"), std::string("/var/tmp"), WorkingDirectory(target)}) {
    if (!place.starts_with('/')) continue;
    Result<FileDescriptor> parent = OpenFolderOf(target, place);
    std::string problem;
    struct statvfs status;
    if (!parent) {
      problem = parent.error().message;
    } else if (fstatvfs(parent->Get(), &status) == 0 && (status.f_flag & ST_NOEXEC) != 0) {
      problem = place + ": mounted noexec";
    } else {
      Result<TargetFolder> folder =
          CreateIn(target, std::move(*parent), place + "/" + std::string(kPrefix) + RandomLetters(), false);
      if (folder) return folder;
      problem = folder.error().message;
    }
    tried += (tried.empty() ? "" : "; ") + problem;
  }
  return Fail("JVM " + std::to_string(target.pid) + " has no folder that permits loading a library: " + tried);
}

Result<TargetFolder> TargetFolder::CreateAt(const TargetProcess& target, const std::string& path) {
  Result<FileDescriptor> parent = OpenFolderOf(target, path.substr(0, path.rfind('/')));
  if (!parent) return tl::unexpected(parent.error());
  return CreateIn(target, std::move(*parent), path, true);
}

Result<TargetFolder> TargetFolder::CreateIn(const TargetProcess& target, FileDescriptor parent, const std::string& path,
                                            bool take_over) {
  const std::string name = NameOf(path);
  const bool made = mkdirat(parent.Get(), name.c_str(), 0700) == 0;
  if (!made && !(take_over && errno == EEXIST)) return tl::unexpected(SystemError(path, "cannot create the folder"));
  FileDescriptor folder(openat(parent.Get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!folder.IsOpen()) return tl::unexpected(SystemError(path, "cannot open the folder"));
  struct stat status;
  if (fstat(folder.Get(), &status) != 0)
    return tl::unexpected(SystemError(path, "cannot read the owner of the folder"));
  if (status.st_uid != geteuid() && status.st_uid != target.uid) {
    return Fail(path + ": belongs to another user; remove it");
  }
  if (flock(folder.Get(), LOCK_EX | LOCK_NB) != 0) {
    return Fail("another sparkprof is attached to JVM " + std::to_string(target.pid) + " (it uses " + path +
                "); wait until it has finished");
  }
  TargetFolder result(target, std::move(parent), std::move(folder), path);
  if (geteuid() == 0 && fchown(result.folder_.Get(), target.uid, target.gid) != 0) {
    return tl::unexpected(SystemError(path, "cannot change the owner of the folder to the JVM's user"));
  }
  return result;
}

TargetFolder::~TargetFolder() {
  if (!folder_.IsOpen()) return;
  const int copy = dup(folder_.Get());
  const std::unique_ptr<DIR, CloseTargetFolder> entries(copy < 0 ? nullptr : fdopendir(copy));
  std::vector<std::string> names;
  while (const dirent* entry = entries ? readdir(entries.get()) : nullptr) names.emplace_back(entry->d_name);
  for (const std::string& name : names) unlinkat(folder_.Get(), name.c_str(), 0);
  unlinkat(parent_.Get(), NameOf(path_).c_str(), AT_REMOVEDIR);
}

Result<void> TargetFolder::Write(const std::string& name, std::string_view content) const {
  unlinkat(folder_.Get(), name.c_str(), 0);
  const FileDescriptor file(
      openat(folder_.Get(), name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.IsOpen()) return tl::unexpected(SystemError(PathOf(name), "cannot create the file"));
  if (const Result<void> written = WriteAll(file.Get(), content, PathOf(name)); !written) return written;
  if (geteuid() == 0 && fchown(file.Get(), uid_, gid_) != 0) {
    return tl::unexpected(SystemError(PathOf(name), "cannot change the owner of the file to the JVM's user"));
  }
  return {};
}

Result<FileDescriptor> TargetFolder::Open(const std::string& name) const {
  FileDescriptor file(openat(folder_.Get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status;
  if (!file.IsOpen() || fstat(file.Get(), &status) != 0) {
    return tl::unexpected(SystemError(PathOf(name), "cannot open the file"));
  }
  if (!S_ISREG(status.st_mode)) return Fail(PathOf(name) + ": expected a regular file");
  return file;
}

std::string TargetFolder::Read(const std::string& name) const {
  const Result<FileDescriptor> file = Open(name);
  const auto source = file ? OpenFileSource("/proc/self/fd/" + std::to_string(file->Get()), 0, kMaxText) : Fail("");
  std::optional<Error> error;
  return source ? ReadUpTo(source->get(), kMaxText, &error) : std::string();
}

}  // namespace sparkprof
