// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/io/file.h"
#include "base/time.h"
#include "storage/listing_builder.h"
#include "storage/storages.h"

namespace sparkprof {
namespace {

std::string UserName(uid_t user) {
  passwd entry{}, *found = nullptr;
  char buffer[16384];
  const bool is_known = getpwuid_r(user, &entry, buffer, sizeof buffer, &found) == 0 && found != nullptr;
  return is_known ? found->pw_name : std::to_string(user);
}

class LocalStorage : public Storage {
 public:
  LocalStorage(std::string root, const StorageOptions& options) : root_(std::move(root)), options_(options) {}

  const std::string& Root() const override { return root_; }
  bool IsRemote() const override { return false; }

  Result<StorageListing> List() override {
    FileDescriptor root(open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!root.IsOpen()) return tl::unexpected(SystemError(root_, "cannot list"));
    ListingBuilder listing(options_, root_);
    AddFolder(std::move(root), root_, 0, &listing);
    return listing.Take();
  }

  Result<std::string> Read(const std::string& name, int64_t offset, size_t size) override {
    const FileDescriptor file(open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.IsOpen()) return tl::unexpected(SystemError(name, "cannot open"));
    struct stat info {};
    if (fstat(file.Get(), &info) != 0 || !S_ISREG(info.st_mode)) return Fail(name + ": is not a regular file");
    std::string bytes(static_cast<size_t>(std::clamp<int64_t>(info.st_size - offset, 0, static_cast<int64_t>(size))),
                      '\0');
    size_t read = 0;
    while (read < bytes.size()) {
      const ssize_t got = pread(file.Get(), bytes.data() + read, bytes.size() - read,
                                static_cast<off_t>(offset) + static_cast<off_t>(read));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return tl::unexpected(SystemError(name, "cannot read"));
      if (got == 0) break;
      read += static_cast<size_t>(got);
    }
    bytes.resize(read);
    return bytes;
  }

 private:
  void AddFolder(FileDescriptor folder, const std::string& name, int depth, ListingBuilder* listing) {
    if (!listing->MayEnter(name, depth)) return;
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(fcntl(folder.Get(), F_DUPFD_CLOEXEC, 0)), closedir);
    if (entries == nullptr) {
      listing->LeaveOut(name, std::string("cannot list: ") + std::strerror(errno));
      return;
    }
    while (const dirent* const entry = readdir(entries.get())) {
      const std::string_view own = entry->d_name;
      if (own == "." || own == "..") continue;
      if (listing->IsStopped() || listing->IsFull()) return;
      AddEntry(folder.Get(), entry->d_name, name + "/" + entry->d_name, depth, listing);
    }
  }

  void AddEntry(int folder, const char* own, std::string name, int depth, ListingBuilder* listing) {
    struct stat info {};
    if (fstatat(folder, own, &info, AT_SYMLINK_NOFOLLOW) != 0) return;  // just deleted
    if (S_ISREG(info.st_mode)) {
      listing->Add({std::move(name), info.st_size, info.st_mtim.tv_sec * kNanosPerSecond + info.st_mtim.tv_nsec,
                    options_.with_owners ? UserName(info.st_uid) : std::string()});
    } else if (S_ISDIR(info.st_mode)) {
      FileDescriptor inner(openat(folder, own, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (inner.IsOpen()) {
        AddFolder(std::move(inner), name, depth + 1, listing);
      } else {
        listing->LeaveOut(std::move(name), std::string("cannot list: ") + std::strerror(errno));
      }
    } else if (S_ISLNK(info.st_mode)) {
      listing->LeaveOut(std::move(name), "symbolic links are not followed");
    }
  }

  const std::string root_;
  const StorageOptions options_;
};

}  // namespace

std::unique_ptr<Storage> OpenLocalStorage(const std::string& folder, const StorageOptions& options) {
  std::string root = folder;
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  return std::make_unique<LocalStorage>(std::move(root), options);
}

}  // namespace sparkprof
