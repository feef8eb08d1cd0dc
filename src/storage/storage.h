// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"

namespace sparkprof {

// A file as it was listed.
struct StoredFile {
  std::string name;  // the storage's root, "/" and the path below: "hdfs://host:9870/logs/app-1"
  int64_t size = 0;
  int64_t modified_ns = 0;  // since the Unix epoch, by the storage's clock
  std::string owner = {};   // the user's name, or number where it has none; see StorageOptions::with_owners

  bool operator==(const StoredFile&) const = default;
};

// A folder or file that was not listed, and the reason.
struct NotListed {
  std::string name;
  std::string reason;
};

struct StorageListing {
  std::vector<StoredFile> files;      // by name
  std::vector<NotListed> not_listed;  // folders that cannot be read, files beyond a limit

  // A file of this name is in the list, or may be in a folder that was not listed.
  bool MayHave(const std::string& name) const;
  bool IsInUnlisted(const std::string& name) const;
};

struct StorageOptions {
  size_t max_files = 2'000'000;
  int max_depth = 32;        // of folders below the root
  bool with_owners = false;  // list the owners of files; only local folders and HDFS have them
  // Requests under way end soon after this is set; may be null.
  const std::atomic<bool>* stop = nullptr;
};

// A folder that is read in place. Thread-safe. Errors name the storage and the reason.
class Storage {
 public:
  virtual ~Storage() = default;

  // The user's name for it, without a '/' at its end.
  virtual const std::string& Root() const = 0;
  // On another machine: requests cost more than reading.
  virtual bool IsRemote() const = 0;

  // All regular files below the root, whatever their names; of a remote root that is a file, that file alone, whose
  // name is the root. Symbolic links are not followed. Fails if the root cannot be listed or cannot be reached.
  virtual Result<StorageListing> List() = 0;

  // The bytes from `offset` on, `size` or fewer at the end of the file. `name` is one that List returned.
  virtual Result<std::string> Read(const std::string& name, int64_t offset, size_t size) = 0;
};

// A folder's path, or a URI of file:, hdfs:, webhdfs:, swebhdfs:, s3:, s3a:, gs:, abfs:, abfss:, wasb: or wasbs:. Does
// not connect. Fails for other schemes and for incomplete settings. Credentials come from the environment, see
// docs/collector.md.
Result<std::unique_ptr<Storage>> OpenStorage(const std::string& location, const StorageOptions& options = {});

// Whether a location has one of the schemes of other machines.
bool IsRemoteLocation(std::string_view location);

// The first `size` bytes of a file, read in pieces that grow. `storage` must outlive the source.
std::unique_ptr<ByteSource> OpenStored(Storage* storage, const StoredFile& file);

}  // namespace sparkprof
