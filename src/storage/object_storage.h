// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "storage/storage.h"

namespace sparkprof {

struct StoredObject {
  std::string key;
  int64_t size = 0;
  int64_t modified_ns = 0;
};

struct ObjectPage {
  std::vector<StoredObject> objects;
  std::string next;  // token of the next page; empty = last page
};

// Objects with a common key prefix in a bucket or container. If the root is the key of an object, only that object.
class ObjectStorage : public Storage {
 public:
  // `location`: "SCHEME://BUCKET/PREFIX".
  ObjectStorage(std::string location, const StorageOptions& options);

  const std::string& Root() const override { return root_; }
  bool IsRemote() const override { return true; }
  Result<StorageListing> List() override;
  Result<std::string> Read(const std::string& name, int64_t offset, size_t size) override;
  Result<bool> Create(const std::string& name, std::string_view content) override;
  Result<std::optional<std::string>> ReadIfExists(const std::string& name, uint64_t max_bytes) override;
  Result<void> Remove(const std::string& name) override;
  Result<void> MakeFolders(const std::vector<std::string>&) override { return {}; }

 protected:
  // Maximum size of an answer without an object.
  static constexpr uint64_t kMaxErrorBytes = uint64_t{64} << 10;

  // The bucket of the root "SCHEME://BUCKET/PREFIX".
  std::string Bucket() const;
  const StorageOptions& Options() const { return options_; }
  std::string KeyOf(const std::string& name) const;

 private:
  // Lists objects whose keys start with `prefix`; returns the page after `token`, or the first page if it is empty.
  virtual Result<ObjectPage> ListPage(const std::string& prefix, const std::string& token) = 0;
  // Sends a GET request for an object, with `headers` for the range. Reads at most `max_bytes` of body.
  virtual Result<HttpResponse> GetObject(const std::string& key, const HttpHeaders& headers, uint64_t max_bytes) = 0;
  // Sends the request that creates an object unless it exists.
  virtual Result<HttpResponse> PutObject(const std::string& key, std::string_view content) = 0;
  // True if the response reports that the object exists.
  virtual bool IsConflict(const HttpResponse& answer) const { return answer.status == 412; }
  virtual Result<HttpResponse> DeleteObject(const std::string& key) = 0;
  // Error for a response that is not the object.
  virtual Error ErrorOf(const std::string& place, const HttpResponse& answer) const = 0;

  const std::string root_;
  const StorageOptions options_;
  std::string path_;  // path of the root, without the bucket: "" or "logs/app-1"
};

// Encodes "a b/c" as "a%20b/c".
std::string EncodeKey(std::string_view key);

// Parses "2026-11-23T09:33:40.000Z"; 0 if invalid.
int64_t ParseUtcTime(const std::string& text);

// An environment variable; empty = not set.
std::string EnvironmentOf(const char* name);

}  // namespace sparkprof
