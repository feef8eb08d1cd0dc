// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "server/folders/application_entries.h"
#include "server/folders/fetched_files.h"
#include "server/folders/opening_marks.h"
#include "storage/storage.h"

namespace sparkprof {

// The files that contain an application's blocks.
struct RecordedFiles {
  std::vector<StoredFile> files;
  std::string version;         // changes with any of the files
  std::string location;        // text for the catalogue; see RecordingDirectory::Restore
  bool has_event_log = false;  // see recording/event_log_recording.h
  int64_t changed_ns = 0;      // time of the last write, by this machine's clock
};

// The access list of a watched file: the one in its events, or only the file's owner if file owners count.
ApplicationEntries::List ListOfWatched(const StoredFile& file, const ApplicationEntries::List& shown);

// Maps entries (ApplicationEntries) to files with their blocks, in the store and in watched folders. In this class an
// "application ID" is an entry's name. Files are identified by name, size and modification time; only new bytes are
// read. Thread-safe.
class RecordingDirectory {
 public:
  // `entries` assigns the files of watched folders and has those below `store`; null = each application is an entry.
  // `marks` may be null.
  explicit RecordingDirectory(FetchedFiles* fetched, ApplicationEntries* entries = nullptr, std::string store = {},
                              OpeningMarks* marks = nullptr)
      : fetched_(fetched), entries_(entries), store_(std::move(store)), marks_(marks) {}

  // Line in the location of applications whose recordings contain an event log.
  static constexpr std::string_view kEventLogLine = "events\n";

  // Restores an application from an earlier process, so that its unchanged files are not read again.
  void Restore(const std::string& id, std::string_view location);

  // Sets the IDs of files by path. Each file contains blocks of this application only, or was removed.
  void Note(const std::map<std::string, std::string>& ids);
  void Update(const std::string& path);
  // Updates all recordings in a listing of `root` and removes missing ones. Returns early if `stop` becomes true.
  void Update(const std::string& root, const StorageListing& listing, const std::atomic<bool>& stop);

  std::optional<RecordedFiles> Find(const std::string& id) const;
  // Applications whose files changed or were removed since the last call.
  std::vector<std::string> TakeChanged();
  // IDs with this prefix.
  std::vector<std::string> Applications(const std::string& beginning = {}) const;
  // Whether any application has an event log among its recordings.
  bool HasEventLogs() const;
  // Files below `folder` with an incomplete last block.
  std::vector<std::string> IncompleteFiles(const std::string& folder) const;

  struct Counts {
    size_t files = 0;
    size_t unreadable = 0;  // see Problems
  };
  // Counts files below `root`; all if it is empty.
  Counts CountBelow(const std::string& root) const;
  // Unreadable files with the reason; at most `most`.
  std::vector<std::string> Problems(const std::string& root, size_t most) const;

 private:
  struct File {
    int64_t size = -1;
    int64_t modified_ns = 0;
    int64_t changed_ns = 0;  // time when the change was detected, by this machine's clock
    int64_t read_bytes = 0;  // size of complete blocks, whose applications are known
    std::set<std::string> applications;
    bool has_event_log = false;
    std::string problem;
  };

  using Files = std::map<std::string, File>;  // by name

  void Update(const StoredFile& state);
  // The entry of a file with application `id` and these events of it.
  std::string EntryOf(const StoredFile& file, const std::string& id, const std::vector<std::string>& events) const;
  void ReadNew(const StoredFile& state, File* file);
  void Forget(Files::iterator file);

  FetchedFiles* fetched_;
  ApplicationEntries* const entries_;
  const std::string store_;
  OpeningMarks* const marks_;
  mutable std::mutex mutex_;
  Files files_;
  std::map<std::string, std::set<std::string>> paths_;  // by application
  std::set<std::string> changed_;
  std::set<std::string> with_event_log_;  // application IDs
};

}  // namespace sparkprof
