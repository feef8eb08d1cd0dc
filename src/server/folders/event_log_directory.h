// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/catalogue.h"
#include "event_log/event_log_ends.h"
#include "inputs/event_log_files.h"
#include "server/folders/application_entries.h"
#include "server/folders/fetched_files.h"
#include "storage/storage.h"

namespace sparkprof {

// The event log of one attempt, ready to read.
struct EventLogFiles {
  std::string id;
  std::string attempt;             // empty = Spark gave none
  std::vector<std::string> paths;  // local files in order: one, or the parts of a rolled log
  std::string version;             // changes with the content
  bool in_progress = false;        // Spark is still writing it, or was killed
  int64_t modified_ns = 0;
  std::string viewers;                              // result of ViewersOf
  bool is_recorded = false;                         // whether `paths` are recordings (recorded_event_logs.h)
  std::string problem;                              // reason for missing paths: the folder is unreachable; empty = none
  std::vector<std::shared_ptr<const void>> in_use;  // keep `paths` from eviction
};

// The event log of one attempt, from its first and last events.
struct EventLogAttempt {
  std::string attempt;
  std::string name;
  std::string user;
  std::string spark_version;
  int64_t start_ns = 0;
  int64_t end_ns = 0;        // end so far; for a large compressed log, the time of its last change
  int64_t modified_ns = 0;   // by the clock of its folder
  bool in_progress = false;  // Spark is still writing it, or was killed
  bool completed = false;    // has an application end event
  bool has_failed = false;   // the last job failed
  std::string version;
  std::string viewers;  // result of ViewersOf
};

struct EventLogListing {
  std::string id;
  std::vector<EventLogAttempt> attempts;  // in order of start
};

// Event log of one attempt, without its content.
struct StoredEventLog {
  EventLogAttempt attempt;
  std::vector<StoredFile> files;    // in the order of the log
  int64_t changed_ns = 0;           // time when its last change was detected, by this machine's clock
  std::vector<std::string> others;  // names of further logs of the attempt, which are not read
};

// Event logs in the watched folders: plain, compressed, rolled, compacted, in progress. Only the first and last events
// of each log are read. Attempts of one application are one entry (ApplicationEntries) if they have the same owner;
// further logs of an attempt are separate entries unless they are copies. In this class an "application ID" is an
// entry's name. Thread-safe.
class EventLogDirectory {
 public:
  EventLogDirectory(FetchedFiles* fetched, ApplicationEntries* entries) : fetched_(fetched), entries_(entries) {}

  // Formats a line for each file of a log, "log SIZE MODIFIED NAME\n", and one with Spark's version.
  static std::string LocationOf(const StoredEventLog& log);
  static std::string VersionLine(const std::string& spark_version);
  static std::string VersionIn(std::string_view location);
  // Restores an attempt from an earlier process, so that its unchanged log below one of `roots` is not read again.
  // `row.location` must be a result of LocationOf.
  void Restore(const std::vector<std::string>& roots, const ApplicationRow& row);

  // Synchronizes with a listing of `storage`: reads the first and last events of new and changed logs. Returns early if
  // `stop` becomes true. Not thread-safe for one folder.
  void Update(Storage* storage, const StorageListing& listing, const std::atomic<bool>& stop);

  // The logs of an application, one per attempt, in order of start. Fetches remote files.
  std::vector<EventLogFiles> FindEventLogs(const std::string& application_id) const;
  // All logs by application, from their first and last events.
  std::vector<EventLogListing> ListEventLogs() const;

  // The logs of an application in order of start.
  std::vector<StoredEventLog> Find(const std::string& application_id) const;
  // Applications whose logs changed or were removed since the last call.
  std::vector<std::string> TakeChanged();

  struct Counts {
    size_t logs = 0;        // logs with a known application
    size_t unreadable = 0;  // see Problems
    size_t duplicates = 0;  // logs of an attempt with a better log; see Duplicates
  };
  Counts CountOf(const std::string& root) const;
  // Logs below `root` that are unreadable or have no application, with the reason; at most `most`.
  std::vector<std::string> Problems(const std::string& root, size_t most) const;
  // Logs below `root` that are skipped because another log has the same application and attempt; at most `most`.
  std::vector<std::string> Duplicates(const std::string& root, size_t most) const;

 private:
  struct Log {
    std::string root;                  // root of its storage
    std::vector<StoredFile> files;     // in the order of the log
    bool in_progress = false;          // according to its name
    std::string application_id;        // according to its name; used if the log has no ID
    ApplicationEntries::List list;     // result of ListOfWatched
    std::string owned_entry;           // entry of its owner
    std::string entry;                 // entry of the log itself
    std::string problem;               // reason why it is unreadable; empty = readable
    std::optional<EventLogHead> head;  // set for event logs
    std::optional<EventLogTail> tail;
    bool tail_was_read = false;  // whether the tail was read; without a value then, the log has none
    int64_t changed_ns = 0;
    int64_t next_try_ns = 0;  // next attempt to read an unreadable log; MonotonicNanos
  };
  using Logs = std::map<std::string, Log>;  // by name of the file, or of the folder of a rolled log

  struct KnownStart {
    StoredFile file;  // state of the file when it was read
    ApplicationStart start;
  };
  using Starts = std::map<std::string, KnownStart>;  // by file name
  // The logs in a listing. `starts` covers files whose names do not show the application (IsApplicationInContent).
  static Logs Group(const std::string& root, const StorageListing& listing, const Starts& starts);
  // Finds the attempts of all such files in a listing. Reads those that are new or have changed.
  Starts FindStarts(Storage* storage, const StorageListing& listing, const std::atomic<bool>& stop);
  // Reads the part of `log` beyond `known`, which may be null.
  static void Examine(Storage* storage, const Log* known, Log* log);
  // Reads the last events of logs that were too slow at first, newest first, within a short time limit.
  void ReadTails(Storage* storage, const std::atomic<bool>& stop);
  struct ChosenLog {
    const Logs::value_type* log = nullptr;
    std::vector<const Logs::value_type*> others;  // other logs of the same attempt
  };
  static StoredEventLog Describe(const ChosenLog& chosen);
  // Whether nothing has to be read.
  bool IsUnchanged(const std::string& name, const Log& log) const;
  void Put(const std::string& name, Log log);
  void Forget(Logs::iterator log);
  // Assigns an application's logs to entries.
  void Regroup(const std::string& id);
  std::vector<ChosenLog> LogsOf(const std::string& application_id) const;

  FetchedFiles* fetched_;
  ApplicationEntries* const entries_;  // null = there are no event logs
  mutable std::mutex mutex_;
  Logs logs_;
  std::map<std::string, Starts> starts_;                   // known starts, by root
  std::map<std::string, std::set<std::string>> names_;     // log names by application
  std::map<std::string, std::set<std::string>> of_entry_;  // log names by entry
  std::set<std::string> changed_;
};

}  // namespace sparkprof
