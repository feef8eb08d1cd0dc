// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/parallel.h"
#include "base/text/text.h"
#include "loader/remote_inputs.h"
#include "storage/storage.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr size_t kReaders = 8;  // mostly waiting for the storage

// Object keys may contain any segments.
bool IsPath(std::string_view below_root) {
  for (const std::string_view segment : Split(below_root, '/'))
    if (segment.empty() || segment == "." || segment == "..") return false;
  return true;
}

Result<void> CheckListing(const std::string& location, const StorageListing& listing, const CopyLimits& limits) {
  if (listing.files.empty() && listing.not_listed.empty()) return Fail(location + ": no such file or folder");
  if (!listing.not_listed.empty())
    return Fail(fmt::format("{}: {}", listing.not_listed.front().name, listing.not_listed.front().reason));
  if (listing.files.size() > limits.max_files) {
    return Fail(fmt::format("{}: {} files; at most {} are read, or use sparkprof fleet analyze", location,
                            listing.files.size(), limits.max_files));
  }
  uint64_t bytes = 0;
  for (const StoredFile& file : listing.files) bytes += static_cast<uint64_t>(file.size);
  if (bytes <= limits.max_bytes) return {};
  return Fail(fmt::format("{}: {}; at most {} are read, or use sparkprof fleet analyze", location,
                          FormatBytes(static_cast<int64_t>(bytes)),
                          FormatBytes(static_cast<int64_t>(limits.max_bytes))));
}

Result<void> CopyFile(Storage* storage, const StoredFile& file, const std::string& path,
                      const std::function<void(uint64_t bytes)>& add) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error) return Fail(fmt::format("{}: cannot create: {}", fs::path(path).parent_path().string(), error.message()));
  const Result<FileDescriptor> copy = CreateNewFile(path, O_WRONLY);
  if (!copy) return tl::unexpected(copy.error());
  const std::unique_ptr<ByteSource> source = OpenStored(storage, file);
  std::vector<char> piece(size_t{1} << 20);
  while (true) {
    const Result<size_t> got = source->Read(piece.data(), piece.size());
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return {};
    if (Result<void> written = WriteAll(copy->Get(), {piece.data(), *got}, path); !written) return written;
    add(*got);
  }
}

}  // namespace

Result<std::string> CopyStored(const std::string& location, const std::string& folder, const CopyLimits& limits,
                               const std::function<void(uint64_t bytes)>& on_bytes) {
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(location);
  if (!storage) return tl::unexpected(storage.error());
  const Result<StorageListing> listing = (*storage)->List();
  if (!listing) return tl::unexpected(listing.error());
  if (Result<void> checked = CheckListing(location, *listing, limits); !checked) return tl::unexpected(checked.error());
  const std::string& root = (*storage)->Root();
  const std::string name = root.substr(root.rfind('/') + 1);
  const std::string target = folder + "/" + (IsPath(name) ? name : "copy");
  std::atomic<uint64_t> bytes = 0;
  std::mutex mutex;
  std::optional<Error> first;  // first problem, which stops the other readers
  ForEachInParallel(listing->files.size(), kReaders, [&](size_t row) {
    const StoredFile& file = listing->files[row];
    {
      const std::lock_guard lock(mutex);
      if (first) return;
    }
    const std::string below = file.name == root ? "" : file.name.substr(root.size() + 1);
    Result<void> copied = Fail(file.name + ": not a path");
    if (below.empty() || IsPath(below)) {
      copied = CopyFile(storage->get(), file, below.empty() ? target : target + "/" + below,
                        [&](uint64_t more) { on_bytes(bytes += more); });
    }
    const std::lock_guard lock(mutex);
    if (!copied && !first) first = copied.error();
  });
  if (first) return tl::unexpected(*first);
  return target;
}

}  // namespace sparkprof
