// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/byte_source.h"
#include "base/result.h"

namespace sparkprof {

// A file in the state in which it was listed.
struct StoredFile {
  std::string name;  // the storage's root, "/" and the path below it: "hdfs://host:9870/logs/app-1"
  int64_t size = 0;
  int64_t modified_ns = 0;  // since the Unix epoch, by the storage's clock
  std::string owner = {};   // user name, or number if it has none; set only with StorageOptions::with_owners

  bool operator==(const StoredFile&) const = default;
};

// A folder or file that was not listed, with the reason.
struct NotListed {
  std::string name;
  std::string reason;
};

struct StorageListing {
  std::vector<StoredFile> files;      // sorted by name
  std::vector<NotListed> not_listed;  // unreadable folders, and files beyond a limit

  // Whether a file of this name is listed, or may be in a folder that was not listed.
  bool MayHave(const std::string& name) const;
  bool IsInUnlisted(const std::string& name) const;
};

struct StorageOptions {
  size_t max_files = 2'000'000;
  int max_depth = 32;        // maximum depth of folders below the root
  bool with_owners = false;  // list the owners of files; supported by local folders and HDFS only
  // Aborts running requests soon after it is set; may be null.
  const std::atomic<bool>* stop = nullptr;
};

// A folder that is read in place. Thread-safe. Errors name the storage and the reason.
class Storage {
 public:
  virtual ~Storage() = default;

  // The root as the user named it, without a trailing '/'.
  virtual const std::string& Root() const = 0;
  // Whether it is on another machine, where requests cost more than reading.
  virtual bool IsRemote() const = 0;

  // Lists all regular files below the root. If a remote root is a file, only that file, named like the root. Does not
  // follow symbolic links. Fails if the root cannot be reached or listed.
  virtual Result<StorageListing> List() = 0;

  // Reads `size` bytes from `offset` on, or fewer at the end of the file. `name` must come from List.
  virtual Result<std::string> Read(const std::string& name, int64_t offset, size_t size) = 0;

  // For processes that share the storage: objects are created once and never change. `name` is the root, "/" and a
  // path.

  // Creates an object, whole and durable on return. False, and nothing changed, if the name has other content. After
  // an error, the object may still appear: repeat the call with the same content.
  virtual Result<bool> Create(const std::string& name, std::string_view content) = 0;
  // The whole object; nullopt if it does not exist. Fails if it is larger than `max_bytes`.
  virtual Result<std::optional<std::string>> ReadIfExists(const std::string& name, uint64_t max_bytes) = 0;
  // Succeeds if the object does not exist.
  virtual Result<void> Remove(const std::string& name) = 0;
  // Makes folders for objects, where the storage has folders. Succeeds if they exist.
  virtual Result<void> MakeFolders(const std::vector<std::string>& names) = 0;
};

// Opens a folder's path, or a URI of file:, hdfs:, webhdfs:, swebhdfs:, s3:, s3a:, gs:, abfs:, abfss:, wasb: or wasbs:.
// Does not connect. Fails for other schemes and for incomplete settings. Credentials come from the environment
// (docs/collector.md).
Result<std::unique_ptr<Storage>> OpenStorage(const std::string& location, const StorageOptions& options = {});

// Whether a location has a remote scheme.
bool IsRemoteLocation(std::string_view location);

// Reads a file up to its listed size, in pieces that grow. `storage` must outlive the source.
std::unique_ptr<ByteSource> OpenStored(Storage* storage, const StoredFile& file);

}  // namespace sparkprof
