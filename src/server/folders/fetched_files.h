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

// A file to read, which stays where it is while `in_use` lives.
struct LocalFile {
  std::string path;
  std::shared_ptr<const void> in_use;
};

// True for names of files that FetchedFiles copies: "hdfs://…", "s3a://…".
bool IsRemoteName(std::string_view name);

// Local copies of files in remote storages, up to a bound on their size; the least recently used go first. A file that
// grows is continued, not fetched again. Copies outlive the process. Thread-safe.
class FetchedFiles {
 public:
  // `folder` is created when it is needed.
  FetchedFiles(std::string folder, uint64_t max_bytes);

  // Where the files below the storage's root come from. `storage` must outlive this.
  void Add(Storage* storage);
  // Why a storage cannot be reached, empty = it can. What has not been fetched fails with this reason at once.
  void SetProblem(const std::string& root, const std::string& problem);

  // The file as it was listed. A local file is its own copy. Errors name the file and the reason.
  Result<LocalFile> Get(const StoredFile& file);

  uint64_t Bytes() const;

 private:
  struct Copy {
    std::mutex mutex;  // held while it is fetched
    std::string path;
    uint64_t bytes = 0;
    uint64_t last_use = 0;
  };
  struct Source {
    Storage* storage = nullptr;
    std::string problem;
  };

  Source SourceOf(const std::string& name) const;
  // Brings the copy at `path` up to date.
  static Result<void> Fetch(Storage* storage, const StoredFile& file, const std::string& path);
  void Trim();

  const std::string folder_;
  const uint64_t max_bytes_;
  mutable std::mutex mutex_;
  std::map<std::string, Source> sources_;                // by root
  std::map<std::string, std::shared_ptr<Copy>> copies_;  // by path
  uint64_t uses_ = 0;
  uint64_t bytes_ = 0;  // of all copies
};

}  // namespace sparkprof
