// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// The files with an application's blocks.
struct RecordedFiles {
  std::vector<std::string> paths;
  std::string version;     // changes with any of the files
  std::string location;    // as text for the catalogue, see RecordingDirectory::Restore
  int64_t changed_ns = 0;  // when the last of them was written
};

// Which application's blocks are in which files: those of the store and of the watched folders. Files are identified by
// path, size and time of change; only new bytes are read. Thread-safe.
class RecordingDirectory {
 public:
  // What an earlier process knew of an application, so that its unchanged files need not be read.
  void Restore(const std::string& id, std::string_view location);

  // A file has blocks of this application alone, or is gone.
  void Note(const std::string& path, const std::string& id);
  // Looks at one file that is new or has changed.
  void Update(const std::string& path);
  // Looks at all files below a folder, and forgets those that are gone. Fails if the folder cannot be listed;
  // everything stays as it is then.
  Result<void> Scan(const std::string& folder);

  std::optional<RecordedFiles> Find(const std::string& id) const;
  // Applications whose files changed since the last call, also those that have none any more.
  std::vector<std::string> TakeChanged();
  size_t FileCount() const;
  // Files below a folder whose last block is incomplete.
  std::vector<std::string> IncompleteFiles(const std::string& folder) const;
  // Files that cannot be read, with the reason.
  std::vector<std::string> Problems() const;

 private:
  struct File {
    int64_t size = -1;
    int64_t modified_ns = 0;
    int64_t read_bytes = 0;  // complete blocks, whose applications are known
    std::set<std::string> applications;
    std::string problem;
  };

  void Forget(std::map<std::string, File>::iterator file);

  mutable std::mutex mutex_;
  std::map<std::string, File> files_;                   // by path
  std::map<std::string, std::set<std::string>> paths_;  // by application
  std::set<std::string> changed_;
};

}  // namespace sparkprof
