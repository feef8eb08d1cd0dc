// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/storage.h"

namespace sparkprof {

// A local file that is not evicted while `in_use` exists.
struct LocalFile {
  std::string path;
  std::shared_ptr<const void> in_use;
};

// Whether FetchedFiles copies files with this name: "hdfs://…", "s3a://…".
bool IsRemoteName(std::string_view name);

// Local copies of remote files, bounded by size; evicts the least recently used. A growing file is continued instead of
// fetched again. Copies outlive the process. Thread-safe.
class FetchedFiles {
 public:
  // `folder` is created on first use.
  FetchedFiles(std::string folder, uint64_t max_bytes);

  // Adds the source for files below the storage's root. `storage` must outlive this.
  void Add(Storage* storage);
  // Sets why a storage is unreachable; empty = reachable. Files that are not fetched yet then fail immediately with
  // this reason.
  void SetProblem(const std::string& root, const std::string& problem);

  // The file in its listed state. A local file is returned as it is. Errors name the file and the reason.
  Result<LocalFile> Get(const StoredFile& file);

  uint64_t Bytes() const;

 private:
  struct Copy {
    std::mutex mutex;  // held while the file is fetched
    std::string path;
    uint64_t bytes = 0;
    uint64_t last_use = 0;
  };
  struct Source {
    Storage* storage = nullptr;
    std::string problem;
  };

  Source SourceOf(const std::string& name) const;
  static Result<void> Fetch(Storage* storage, const StoredFile& file, const std::string& path);
  void Trim();

  const std::string folder_;
  const uint64_t max_bytes_;
  mutable std::mutex mutex_;
  std::map<std::string, Source> sources_;                // by root
  std::map<std::string, std::shared_ptr<Copy>> copies_;  // by path
  uint64_t uses_ = 0;
  uint64_t bytes_ = 0;  // size of all copies
};

}  // namespace sparkprof
