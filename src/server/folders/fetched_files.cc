// SPDX-License-Identifier: Apache-2.0
#include "server/folders/fetched_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/time.h"
#include "http/signing.h"
#include "server/folders/collector_files.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPiece = size_t{8} << 20;
// Size of the end of a copy that is compared with the file before the copy is continued.
constexpr int64_t kOverlap = int64_t{4} << 10;
constexpr char kUnfinished[] = ".part";

// Keeps the names of the file and its folder: those of event logs have a meaning.
std::string PathOfCopy(const std::string& folder, const std::string& name) {
  const size_t slash = name.rfind('/');
  const std::string parent = name.substr(0, slash);
  const std::string file = name.substr(slash + 1);
  return fmt::format("{}/{}/{}/{}", folder, Sha256Hex(parent), FileNameFor(parent.substr(parent.rfind('/') + 1)),
                     FileNameFor(file));
}

struct CopyState {
  int64_t size = 0;
  int64_t modified_ns = 0;
};

// A copy has the modification time of its file.
std::optional<CopyState> StateOfFile(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return CopyState{info.st_size, info.st_mtim.tv_sec * kNanosPerSecond + info.st_mtim.tv_nsec};
}

Result<void> SetModified(int fd, int64_t modified_ns, const std::string& path) {
  timespec times[2] = {};
  times[0].tv_nsec = UTIME_NOW;
  times[1].tv_sec = modified_ns / kNanosPerSecond;
  times[1].tv_nsec = modified_ns % kNanosPerSecond;
  if (futimens(fd, times) != 0) return tl::unexpected(SystemError(path, "cannot set the time of change"));
  return {};
}

Result<void> Append(Storage* storage, const StoredFile& file, int64_t offset, int fd, const std::string& path) {
  while (offset < file.size) {
    const size_t wanted = static_cast<size_t>(std::min<int64_t>(kPiece, file.size - offset));
    const Result<std::string> piece = storage->Read(file.name, offset, wanted);
    if (!piece) return tl::unexpected(piece.error());
    if (piece->size() != wanted) {
      return Fail(
          fmt::format("{}: has {} bytes instead of the {} listed: it was replaced, and is read again at the next scan",
                      file.name, offset + static_cast<int64_t>(piece->size()), file.size));
    }
    if (Result<void> written = WriteAll(fd, *piece, path); !written) return written;
    offset += static_cast<int64_t>(wanted);
  }
  return SetModified(fd, file.modified_ns, path);
}

// Returns false if the copy is not a prefix of the file.
Result<bool> Continue(Storage* storage, const StoredFile& file, int64_t size, const std::string& path) {
  const FileDescriptor copy(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!copy.IsOpen()) return false;
  const int64_t overlap = std::min(size, kOverlap);
  std::string known(static_cast<size_t>(overlap), '\0');
  if (pread(copy.Get(), known.data(), known.size(), static_cast<off_t>(size - overlap)) != overlap) return false;
  const Result<std::string> same = storage->Read(file.name, size - overlap, static_cast<size_t>(overlap));
  if (!same) return tl::unexpected(same.error());
  if (*same != known) return false;
  if (lseek(copy.Get(), static_cast<off_t>(size), SEEK_SET) < 0) return false;
  if (Result<void> appended = Append(storage, file, size, copy.Get(), path); !appended) {
    return tl::unexpected(appended.error());
  }
  return true;
}

}  // namespace

bool IsRemoteName(std::string_view name) { return name.find("://") != std::string_view::npos; }

FetchedFiles::FetchedFiles(std::string folder, uint64_t max_bytes) : folder_(std::move(folder)), max_bytes_(max_bytes) {
  // Copies of an earlier process, least recently used first.
  std::vector<std::pair<int64_t, fs::path>> found;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    struct stat info {};
    if (lstat(entry->path().c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
      found.emplace_back(info.st_atim.tv_sec, entry->path());
    }
  }
  std::sort(found.begin(), found.end());
  for (const auto& [time, path] : found) {
    if (path.extension() == kUnfinished) {
      unlink(path.c_str());
      continue;
    }
    auto copy = std::make_shared<Copy>();
    copy->path = path;
    copy->bytes = static_cast<uint64_t>(fs::file_size(path, error));
    copy->last_use = ++uses_;
    bytes_ += copy->bytes;
    copies_[path] = std::move(copy);
  }
}

void FetchedFiles::Add(Storage* storage) {
  const std::lock_guard lock(mutex_);
  sources_[storage->Root()] = {storage, {}};
}

void FetchedFiles::SetProblem(const std::string& root, const std::string& problem) {
  const std::lock_guard lock(mutex_);
  const auto source = sources_.find(root);
  if (source != sources_.end()) source->second.problem = problem;
}

FetchedFiles::Source FetchedFiles::SourceOf(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  Source longest;
  for (const auto& [root, source] : sources_) {
    if (name.starts_with(root + "/")) longest = source;  // roots are sorted, so the longest one comes last
  }
  return longest;
}

Result<LocalFile> FetchedFiles::Get(const StoredFile& file) {
  if (!IsRemoteName(file.name)) return LocalFile{file.name, nullptr};
  const std::string path = PathOfCopy(folder_, file.name);
  std::shared_ptr<Copy> copy;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Copy>& known = copies_[path];
    if (!known) {
      known = std::make_shared<Copy>();
      known->path = path;
    }
    known->last_use = ++uses_;
    copy = known;
  }
  {
    const std::lock_guard fetching(copy->mutex);
    const std::optional<CopyState> state = StateOfFile(path);
    if (!state || state->size != file.size || state->modified_ns != file.modified_ns) {
      const Source source = SourceOf(file.name);
      if (source.storage == nullptr) return Fail(file.name + ": its folder is no longer watched");
      if (!source.problem.empty()) return Fail(fmt::format("{}: cannot be fetched: {}", file.name, source.problem));
      if (Result<void> fetched = Fetch(source.storage, file, path); !fetched) return tl::unexpected(fetched.error());
      const std::lock_guard lock(mutex_);
      bytes_ += static_cast<uint64_t>(file.size) - copy->bytes;
      copy->bytes = static_cast<uint64_t>(file.size);
    }
  }
  Trim();
  return LocalFile{path, copy};
}

Result<void> FetchedFiles::Fetch(Storage* storage, const StoredFile& file, const std::string& path) {
  const std::optional<CopyState> state = StateOfFile(path);
  if (state && state->size > 0 && state->size < file.size) {
    const Result<bool> continued = Continue(storage, file, state->size, path);
    if (!continued) return tl::unexpected(continued.error());
    if (*continued) return {};
  }
  if (Result<void> created = CreateFolders(fs::path(path).parent_path()); !created) return created;
  // Writes a new file: readers of the old copy keep it.
  const std::string unfinished = path + kUnfinished;
  const FileDescriptor target(
      open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, SharedFileMode()));
  if (!target.IsOpen()) return tl::unexpected(SystemError(unfinished, "cannot create"));
  Result<void> done = Append(storage, file, 0, target.Get(), unfinished);
  if (done && rename(unfinished.c_str(), path.c_str()) != 0) done = tl::unexpected(SystemError(path, "cannot rename"));
  if (!done) unlink(unfinished.c_str());
  return done;
}

void FetchedFiles::Trim() {
  const std::lock_guard lock(mutex_);
  if (bytes_ <= max_bytes_) return;
  std::vector<std::pair<uint64_t, std::string>> by_use;
  for (const auto& [path, copy] : copies_) {
    if (copy.use_count() == 1) by_use.emplace_back(copy->last_use, path);
  }
  std::sort(by_use.begin(), by_use.end());
  for (const auto& [use, path] : by_use) {
    // Frees 10% extra, so that this happens rarely.
    if (bytes_ <= max_bytes_ / 10 * 9) break;
    bytes_ -= copies_[path]->bytes;
    copies_.erase(path);
    unlink(path.c_str());
  }
}

uint64_t FetchedFiles::Bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace sparkprof
