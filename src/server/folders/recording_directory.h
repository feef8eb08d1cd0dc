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

// The files with an application's blocks.
struct RecordedFiles {
  std::vector<StoredFile> files;
  std::string version;         // changes with any of the files
  std::string location;        // as text for the catalogue, see RecordingDirectory::Restore
  bool has_event_log = false;  // see recording/event_log_recording.h
  int64_t changed_ns = 0;      // when the last of them was written, by this machine's clock
};

// The list of a file in a watched folder: the one in its events, or, where owners of files count, only its owner.
ApplicationEntries::List ListOfWatched(const StoredFile& file, const ApplicationEntries::List& shown);

// Which files have the blocks of which entry (ApplicationEntries): those of the store and of the watched folders; what
// is called an application's ID here is an entry's name. Files are identified by
// name, size and time of change; only new bytes are read. Thread-safe.
class RecordingDirectory {
 public:
  // `entries`: assigns the files of watched folders, and knows those below `store`; null = an entry is an application.
  // `marks`: of the files that are opened; may be null.
  explicit RecordingDirectory(FetchedFiles* fetched, ApplicationEntries* entries = nullptr, std::string store = {},
                              OpeningMarks* marks = nullptr)
      : fetched_(fetched), entries_(entries), store_(std::move(store)), marks_(marks) {}

  // A line of the location of applications with an event log among their recordings.
  static constexpr std::string_view kEventLogLine = "events\n";

  // State of an application from an earlier process, so that its unchanged files need not be read.
  void Restore(const std::string& id, std::string_view location);

  // Each of these files has blocks of this application alone, or is gone: IDs by path.
  void Note(const std::map<std::string, std::string>& ids);
  // Looks at one file of this machine that is new or has changed.
  void Update(const std::string& path);
  // Looks at the recordings in a listing of `root`, and forgets those that are gone. Returns early if `stop` becomes
  // true.
  void Update(const std::string& root, const StorageListing& listing, const std::atomic<bool>& stop);

  std::optional<RecordedFiles> Find(const std::string& id) const;
  // Applications whose files changed since the last call, also those that have none any more.
  std::vector<std::string> TakeChanged();
  // IDs that begin with `beginning`.
  std::vector<std::string> Applications(const std::string& beginning = {}) const;
  // Whether any application has an event log among its recordings.
  bool HasEventLogs() const;
  // Files below a folder whose last block is incomplete.
  std::vector<std::string> IncompleteFiles(const std::string& folder) const;

  struct Counts {
    size_t files = 0;
    size_t unreadable = 0;  // see Problems
  };
  // Below `root`, or all if it is empty.
  Counts CountBelow(const std::string& root) const;
  // Files that cannot be read, with the reason; at most `most`.
  std::vector<std::string> Problems(const std::string& root, size_t most) const;

 private:
  struct File {
    int64_t size = -1;
    int64_t modified_ns = 0;
    int64_t changed_ns = 0;  // when this machine noticed it, by its clock
    int64_t read_bytes = 0;  // complete blocks, whose applications are known
    std::set<std::string> applications;
    bool has_event_log = false;
    std::string problem;
  };

  using Files = std::map<std::string, File>;  // by name

  void Update(const StoredFile& state);
  // The entry of a file that names the application `id` and has these of its events.
  std::string EntryOf(const StoredFile& file, const std::string& id, const std::vector<std::string>& events) const;
  // Reads the blocks behind those that are known.
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
  std::set<std::string> with_event_log_;  // IDs of applications
};

}  // namespace sparkprof
