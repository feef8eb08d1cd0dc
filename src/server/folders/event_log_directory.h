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

// The event log of one attempt, ready to be read.
struct EventLogFiles {
  std::string id;
  std::string attempt;             // empty if Spark gave none
  std::vector<std::string> paths;  // local files in order: one, or those of a rolled log
  std::string version;             // changes whenever the content does
  bool in_progress = false;        // Spark still writes it, or was killed
  int64_t modified_ns = 0;
  std::string viewers;       // see ViewersOf
  bool is_recorded = false;  // `paths` are recordings, see recorded_event_logs.h
  std::string problem;       // why there are no paths: its folder cannot be reached; empty = there are
  std::vector<std::shared_ptr<const void>> in_use;  // keeps `paths`
};

// The event log of one attempt, as its first and last events show it.
struct EventLogAttempt {
  std::string attempt;
  std::string name;
  std::string user;
  std::string spark_version;
  int64_t start_ns = 0;
  int64_t end_ns = 0;        // so far; of a large compressed log, the time of its last change
  int64_t modified_ns = 0;   // by the clock of its folder
  bool in_progress = false;  // Spark still writes it, or was killed
  bool completed = false;    // has the end of the application
  bool has_failed = false;   // its last job did
  std::string version;
  std::string viewers;  // see ViewersOf
};

struct EventLogListing {
  std::string id;
  std::vector<EventLogAttempt> attempts;  // in order of start
};

// The event logs of an application without their content.
struct StoredEventLog {
  EventLogAttempt attempt;
  std::vector<StoredFile> files;    // in order
  int64_t changed_ns = 0;           // when its last change was noticed, by this machine's clock
  std::vector<std::string> others;  // names of further logs of the attempt, which are not read
};

// The event logs in the watched folders: plain, compressed, rolled, compacted, in progress. Of each, the first and last
// events are read. Attempts of one application are one entry (ApplicationEntries) if they have the same owner; further
// logs of an attempt are entries of their own, unless they are copies. What is called an application's ID here is an
// entry's name. Thread-safe.
class EventLogDirectory {
 public:
  EventLogDirectory(FetchedFiles* fetched, ApplicationEntries* entries) : fetched_(fetched), entries_(entries) {}

  // A line for each file of a log, "log SIZE MODIFIED NAME\n", and one with Spark's version.
  static std::string LocationOf(const StoredEventLog& log);
  static std::string VersionLine(const std::string& spark_version);
  static std::string VersionIn(std::string_view location);
  // State of an attempt from an earlier process, so that its unchanged log need not be read, as far as it is below one
  // of `roots`. `row.location` has what LocationOf returned.
  void Restore(const std::vector<std::string>& roots, const ApplicationRow& row);

  // Compares what is known about the folder of `storage` with a listing, and reads the first and last events of new and
  // changed logs. Returns early if `stop` becomes true. Not for the same folder in several threads.
  void Update(Storage* storage, const StorageListing& listing, const std::atomic<bool>& stop);

  // The logs of an application, one for each attempt, in order of start. Files of other machines are fetched.
  std::vector<EventLogFiles> FindEventLogs(const std::string& application_id) const;
  // All logs, by application, from their first and last events.
  std::vector<EventLogListing> ListEventLogs() const;

  // The logs of an application in order of start.
  std::vector<StoredEventLog> Find(const std::string& application_id) const;
  // Applications whose logs changed since the last call, also those that have none any more.
  std::vector<std::string> TakeChanged();

  struct Counts {
    size_t logs = 0;        // with a known application
    size_t unreadable = 0;  // see Problems
    size_t duplicates = 0;  // of an attempt that has a better log, see Duplicates
  };
  Counts CountOf(const std::string& root) const;
  // Logs below a root that cannot be read or have no application, with the reason; at most `most`.
  std::vector<std::string> Problems(const std::string& root, size_t most) const;
  // Logs below a root that are not read, because another one has the same application and attempt; at most `most`.
  std::vector<std::string> Duplicates(const std::string& root, size_t most) const;

 private:
  struct Log {
    std::string root;                  // of its storage
    std::vector<StoredFile> files;     // in order
    bool in_progress = false;          // by its name
    std::string application_id;        // by its name, for logs that have none
    ApplicationEntries::List list;     // see ListOfWatched
    std::string owned_entry;           // the entry of its owner
    std::string entry;                 // its own
    std::string problem;               // why it cannot be read; empty = it can
    std::optional<EventLogHead> head;  // of an event log
    std::optional<EventLogTail> tail;
    bool tail_was_read = false;  // it has none then
    int64_t changed_ns = 0;
    int64_t next_try_ns = 0;  // of one with a problem; MonotonicNanos
  };
  using Logs = std::map<std::string, Log>;  // by the name of the file, or of the folder of a rolled log

  struct KnownStart {
    StoredFile file;  // that was read
    ApplicationStart start;
  };
  using Starts = std::map<std::string, KnownStart>;  // by the name of a file
  // The logs in a listing. `starts`: of files whose name does not show the application (IsApplicationInContent).
  static Logs Group(const std::string& root, const StorageListing& listing, const Starts& starts);
  // Attempts of all such files in a listing; reads those that are new or have changed.
  Starts FindStarts(Storage* storage, const StorageListing& listing, const std::atomic<bool>& stop);
  // Reads what `log` has more than `known`, which may be null.
  static void Examine(Storage* storage, const Log* known, Log* log);
  // Reads the last events of logs that took too long at first, the latest first, for a short time.
  void ReadTails(Storage* storage, const std::atomic<bool>& stop);
  struct ChosenLog {
    const Logs::value_type* log = nullptr;
    std::vector<const Logs::value_type*> others;  // of the same attempt
  };
  static StoredEventLog Describe(const ChosenLog& chosen);
  // True: nothing has to be read.
  bool IsUnchanged(const std::string& name, const Log& log) const;
  void Put(const std::string& name, Log log);
  void Forget(Logs::iterator log);
  // Decides the entries of an application's logs.
  void Regroup(const std::string& id);
  std::vector<ChosenLog> LogsOf(const std::string& application_id) const;

  FetchedFiles* fetched_;
  ApplicationEntries* const entries_;  // null: there are no logs
  mutable std::mutex mutex_;
  Logs logs_;
  std::map<std::string, Starts> starts_;                   // of known ones, by root
  std::map<std::string, std::set<std::string>> names_;     // of logs, by application
  std::map<std::string, std::set<std::string>> of_entry_;  // the same, by entry
  std::set<std::string> changed_;
};

}  // namespace sparkprof
