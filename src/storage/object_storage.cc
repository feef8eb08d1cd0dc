// SPDX-License-Identifier: Apache-2.0
#include "storage/object_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <utility>

#include "base/text/text.h"
#include "base/time.h"
#include "http/url.h"
#include "storage/listing_builder.h"

namespace sparkprof {
namespace {

// Answers of the stores with status 404 if the bucket is missing, not the object.
constexpr std::string_view kMissingBucket[] = {"NoSuchBucket", "bucket does not exist", "ContainerNotFound"};

// Removes trailing slashes except the scheme's.
std::string WithoutSlashes(std::string location) {
  while (location.ends_with('/') && !location.ends_with("://")) location.pop_back();
  return location;
}

}  // namespace

ObjectStorage::ObjectStorage(std::string location, const StorageOptions& options)
    : root_(WithoutSlashes(std::move(location))), options_(options) {
  const size_t slash = root_.find('/', root_.find("://") + 3);
  if (slash != std::string::npos) path_ = root_.substr(slash + 1);
}

std::string ObjectStorage::Bucket() const {
  const size_t begin = root_.find("://") + 3;
  return root_.substr(begin, root_.find('/', begin) - begin);
}

std::string ObjectStorage::KeyOf(const std::string& name) const {
  if (name == root_) return path_;
  return path_ + (path_.empty() ? "" : "/") + name.substr(root_.size() + 1);
}

Result<StorageListing> ObjectStorage::List() {
  ListingBuilder listing(options_);
  const std::string prefix = path_.empty() ? "" : path_ + "/";
  bool has_any = false;
  std::string token;
  do {
    Result<ObjectPage> page = ListPage(prefix, token);
    if (!page) return tl::unexpected(page.error());
    for (StoredObject& object : page->objects) {
      if (object.size < 0 || !object.key.starts_with(prefix)) continue;
      has_any = true;
      if (object.key.ends_with('/') || object.key.size() == prefix.size()) continue;  // placeholder for a folder
      listing.Add({root_ + "/" + object.key.substr(prefix.size()), object.size, object.modified_ns});
    }
    if (!page->next.empty() && page->next == token) return Fail(root_ + ": the list of objects does not end");
    token = std::move(page->next);
  } while (!token.empty() && !listing.IsFull());
  if (has_any || path_.empty()) return listing.Take();
  Result<ObjectPage> page = ListPage(path_, "");
  if (!page) return tl::unexpected(page.error());
  for (const StoredObject& object : page->objects)
    if (object.key == path_ && object.size >= 0) listing.Add({root_, object.size, object.modified_ns});
  return listing.Take();
}

Result<std::string> ObjectStorage::Read(const std::string& name, int64_t offset, size_t size) {
  if (size == 0) return std::string();
  const std::string range = fmt::format("bytes={}-{}", offset, offset + static_cast<int64_t>(size) - 1);
  Result<HttpResponse> answer = GetObject(KeyOf(name), {{"range", range}}, size + kMaxErrorBytes);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status == 416) return std::string();  // beyond the end
  if (answer->status != 206 && answer->status != 200) return tl::unexpected(ErrorOf(name, *answer));
  std::string bytes(answer->Body());
  if (answer->status == 200)
    bytes.erase(0, static_cast<size_t>(std::min<int64_t>(offset, static_cast<int64_t>(bytes.size()))));
  bytes.resize(std::min(bytes.size(), size));
  return bytes;
}

Result<bool> ObjectStorage::Create(const std::string& name, std::string_view content) {
  const Result<HttpResponse> answer = PutObject(KeyOf(name), content);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status / 100 == 2) return true;
  if (!IsConflict(*answer)) return tl::unexpected(ErrorOf(name, *answer));
  // An earlier request whose answer was lost may have created it.
  const Result<std::string> there = Read(name, 0, content.size() + 1);
  if (!there) return tl::unexpected(there.error());
  return *there == content;
}

Result<std::optional<std::string>> ObjectStorage::ReadIfExists(const std::string& name, uint64_t max_bytes) {
  const Result<HttpResponse> answer = GetObject(KeyOf(name), {}, max_bytes);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status == 200) return std::string(answer->Body());
  const bool is_bucket = std::any_of(std::begin(kMissingBucket), std::end(kMissingBucket), [&](std::string_view text) {
    return answer->Body().find(text) != std::string_view::npos;
  });
  if (answer->status == 404 && !is_bucket) return std::nullopt;
  return tl::unexpected(ErrorOf(name, *answer));
}

Result<void> ObjectStorage::Remove(const std::string& name) {
  const Result<HttpResponse> answer = DeleteObject(KeyOf(name));
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status / 100 == 2 || answer->status == 404) return {};
  return tl::unexpected(ErrorOf(name, *answer));
}

std::string EncodeKey(std::string_view key) {
  std::string encoded;
  for (const std::string_view segment : Split(key, '/')) encoded += "/" + PercentEncode(segment);
  return encoded.substr(1);
}

int64_t ParseUtcTime(const std::string& text) {
  std::tm time{};
  if (strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &time) == nullptr) return 0;
  const size_t dot = text.find('.');
  const int64_t millis = dot == std::string::npos ? 0 : ParseInteger(text.substr(dot + 1, 3)).value_or(0);
  return timegm(&time) * kNanosPerSecond + millis * kNanosPerMilli;
}

std::string EnvironmentOf(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

}  // namespace sparkprof
