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
#include "base/io/private_file.h"
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

  // A new file gets its name by a link, which fails if the name exists, when its content is durable. The folder "tmp"
  // and those directly below the root must exist.
  Result<bool> Create(const std::string& name, std::string_view content) override {
    const std::string folder = name.substr(0, name.rfind('/'));
    if (Result<void> made = MakeFolder(folder); !made) return tl::unexpected(made.error());
    std::string temporary = root_ + "/tmp/";
    Result<FileDescriptor> file = CreateUnguessableFile(&temporary, "", O_WRONLY);
    if (!file) return tl::unexpected(file.error());
    Result<bool> created = Link(file->Get(), temporary, name, content);
    unlink(temporary.c_str());
    if (!created) return created;
    if (Result<void> synced = SyncFolder(folder); !synced) return tl::unexpected(synced.error());
    return created;
  }

  Result<std::optional<std::string>> ReadIfExists(const std::string& name, uint64_t max_bytes) override {
    struct stat info {};
    if (stat(name.c_str(), &info) != 0) {
      if (errno != ENOENT) return tl::unexpected(SystemError(name, "cannot open"));
      // A folder that is not mounted is an error, not an empty one.
      const std::string temporary = root_ + "/tmp";
      if (stat(temporary.c_str(), &info) != 0) return tl::unexpected(SystemError(temporary, "cannot open"));
      return std::nullopt;
    }
    if (static_cast<uint64_t>(info.st_size) > max_bytes) return Fail(fmt::format("{}: larger than expected", name));
    return Read(name, 0, static_cast<size_t>(info.st_size)).map([](std::string bytes) {
      return std::optional(std::move(bytes));
    });
  }

  Result<void> Remove(const std::string& name) override {
    if (unlink(name.c_str()) != 0 && errno != ENOENT) return tl::unexpected(SystemError(name, "cannot remove"));
    return {};
  }

  Result<void> MakeFolders(const std::vector<std::string>& names) override {
    for (const std::string& name : names) {
      if (Result<void> made = CreateFolders(name); !made) return made;
    }
    return SyncFolder(root_);
  }

 private:
  // Makes a folder, but none directly below the root: a file system that is not mounted has none of these, and what was
  // written in its place would be lost.
  Result<void> MakeFolder(const std::string& folder) {
    struct stat info {};
    if (stat(folder.c_str(), &info) == 0) return {};
    const std::string above = folder.substr(0, folder.rfind('/'));
    if (above.size() <= root_.size() || stat(above.c_str(), &info) != 0) {
      return Fail(folder + ": the folder does not exist; is its file system mounted?");
    }
    if (Result<void> made = CreateFolders(folder); !made) return made;
    return SyncFolder(above);
  }

  static Result<bool> Link(int file, const std::string& temporary, const std::string& name, std::string_view content) {
    if (Result<void> written = WriteAll(file, content, temporary); !written) return tl::unexpected(written.error());
    if (fsync(file) != 0) return tl::unexpected(SystemError(temporary, "cannot sync"));
    if (link(temporary.c_str(), name.c_str()) == 0) return true;
    const Error problem = SystemError(name, "cannot create");
    const bool exists = errno == EEXIST;
    // NFS may report a failure of a link that it made.
    struct stat info {};
    if (fstat(file, &info) == 0 && info.st_nlink == 2) return true;
    if (!exists) return tl::unexpected(problem);
    const Result<std::string> there = ReadFile(name);
    if (!there) return tl::unexpected(there.error());
    return *there == content;
  }

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
