// SPDX-License-Identifier: Apache-2.0
#include "storage/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "storage/storages.h"

namespace sparkprof {
namespace {

constexpr size_t kFirstPiece = size_t{64} << 10;
constexpr size_t kLargestPiece = size_t{8} << 20;

class StoredSource : public ByteSource {
 public:
  StoredSource(Storage* storage, StoredFile file) : storage_(storage), file_(std::move(file)) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    if (taken_ == piece_.size() && !ended_) {
      if (Result<void> read = ReadPiece(); !read) return tl::unexpected(read.error());
    }
    const size_t count = std::min(size, piece_.size() - taken_);
    if (count > 0) std::memcpy(bytes, piece_.data() + taken_, count);
    taken_ += count;
    return count;
  }

 private:
  Result<void> ReadPiece() {
    const size_t wanted =
        static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(next_size_), file_.size - offset_));
    piece_.clear();
    taken_ = 0;
    ended_ = wanted == 0;
    if (ended_) return {};
    Result<std::string> read = storage_->Read(file_.name, offset_, wanted);
    ended_ = !read || read->size() < wanted;
    if (!read) return tl::unexpected(read.error());
    piece_ = std::move(*read);
    offset_ += static_cast<int64_t>(piece_.size());
    next_size_ = std::min(2 * next_size_, kLargestPiece);
    return {};
  }

  Storage* storage_;
  const StoredFile file_;
  int64_t offset_ = 0;
  size_t next_size_ = kFirstPiece;
  std::string piece_;
  size_t taken_ = 0;
  bool ended_ = false;
};

}  // namespace

bool StorageListing::MayHave(const std::string& name) const {
  const auto file = std::lower_bound(files.begin(), files.end(), name,
                                     [](const StoredFile& a, const std::string& b) { return a.name < b; });
  return (file != files.end() && file->name == name) || IsInUnlisted(name);
}

bool StorageListing::IsInUnlisted(const std::string& name) const {
  return std::any_of(not_listed.begin(), not_listed.end(),
                     [&](const NotListed& entry) { return name == entry.name || name.starts_with(entry.name + "/"); });
}

std::unique_ptr<ByteSource> OpenStored(Storage* storage, const StoredFile& file) {
  return std::make_unique<StoredSource>(storage, file);
}

Result<std::unique_ptr<Storage>> OpenStorage(const std::string& location, const StorageOptions& options) {
  const size_t colon = location.find(':');
  const bool has_scheme = colon != std::string::npos && location.find('/') > colon;
  if (!has_scheme) return OpenLocalStorage(location, options);
  const std::string scheme = location.substr(0, colon);
  if (scheme == "file") {
    std::string path = location.substr(colon + 1);
    if (path.starts_with("//")) path.erase(0, 2);
    if (!path.starts_with('/')) return Fail(fmt::format("{}: expected file:///PATH", location));
    return OpenLocalStorage(path, options);
  }
  if (scheme == "hdfs" || scheme == "webhdfs" || scheme == "swebhdfs") return OpenWebHdfsStorage(location, options);
  if (scheme == "s3a" || scheme == "s3") return OpenS3Storage(location, options);
  if (scheme == "gs") return OpenGcsStorage(location, options);
  if (scheme.starts_with("abfs") || scheme.starts_with("wasb")) return OpenAzureStorage(location, options);
  return Fail(fmt::format("{}: unsupported storage '{}'; use a folder, hdfs://, webhdfs://, s3a://, gs:// or abfs://",
                          location, scheme));
}

bool IsRemoteLocation(std::string_view location) {
  constexpr std::string_view kSchemes[] = {"hdfs", "webhdfs", "swebhdfs", "s3",   "s3a",
                                           "gs",   "abfs",    "abfss",    "wasb", "wasbs"};
  const size_t colon = location.find("://");
  return colon != std::string_view::npos &&
         std::find(std::begin(kSchemes), std::end(kSchemes), location.substr(0, colon)) != std::end(kSchemes);
}

}  // namespace sparkprof
