// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/background_task.h"
#include "base/result.h"
#include "catalogue/catalogue.h"
#include "server/applications/application_cache.h"
#include "server/folders/application_files.h"

namespace sparkprof {

// Keeps the catalogue's entries equal to the recordings and event logs, on a thread of its own: an entry of a running
// application is replaced no more often than every 10 s, and less often if that takes long. An application that has
// event logs only is listed from their first and last events, and has a complete entry once it was loaded.
class Cataloguer {
 public:
  // Called on the thread after an application's entry has changed, with the time at which its last block arrived.
  using OnRow = std::function<void(const ApplicationRow& row, int64_t changed_ns)>;

  // `roots`: of the watched folders.
  Cataloguer(std::vector<std::string> roots, RecordingDirectory* recordings, EventLogDirectory* event_logs,
             ApplicationCache* cache, ApplicationEntries* names, Catalogue* catalogue, OnRow on_row);
  ~Cataloguer();
  Cataloguer(const Cataloguer&) = delete;
  Cataloguer& operator=(const Cataloguer&) = delete;

  // Files may have changed.
  void Wake();
  // Why the catalogue is behind the recordings; empty if it is not.
  std::string Problem() const;
  uint64_t Waiting() const { return waiting_; }
  const BackgroundTask& Task() const { return task_; }
  // Returns when all changes of files so far are in the catalogue, or soon after `stop` is set.
  void CatchUp(const std::atomic<bool>& stop);

 private:
  using Clock = std::chrono::steady_clock;

  struct Entry {
    std::string version;  // in the catalogue
    std::vector<ApplicationKey> keys;
    bool is_running = false;
    bool is_complete = false;  // made of the loaded application
    Clock::time_point next{};  // not before
  };

  // Complete entries that are stored together: a transaction takes longer than a small application.
  struct Batch {
    struct Update {
      std::string id;
      Entry updated;  // once its rows are stored, one for each key
      int64_t changed_ns = 0;
    };
    std::vector<CatalogueEntry> rows;
    std::vector<Update> updates;  // in the order of the rows
    size_t bytes = 0;
    Clock::time_point begin{};

    bool IsFull() const;
  };

  // Entries that an earlier process left in the catalogue.
  void Restore();
  void Run();
  // Brings all that wait up to date; what cannot be now stays in `waiting`.
  void RunRound(std::set<std::string>* waiting);
  // Lists all applications among `ids` that are new and have event logs only, and removes them from it.
  Result<void> ListNew(std::set<std::string>* ids);
  // Brings one application up to date, perhaps with the batch.
  Result<void> Update(const std::string& id, Entry* entry, Batch* batch);
  // The same from the first and last events of its logs.
  Result<void> UpdateRows(const std::string& id, const ApplicationFiles& files, Entry* entry);
  // The same from the application itself: adds its rows to the batch.
  void AddComplete(const CachedApplication& application, const ApplicationFiles& files, const std::string& id,
                   Batch* batch);
  // Stores the batch, empties it, and removes its applications from `waiting`.
  Result<void> Put(Batch* batch, std::set<std::string>* waiting);
  // Removes what is in the catalogue under other keys.
  Result<void> ReplaceKeys(std::vector<ApplicationKey> keys, Entry* entry);
  // Lists the running attempts of an application as incomplete.
  Result<void> GiveUp(int64_t changed_ns, Entry* entry);

  const std::vector<std::string> roots_;
  RecordingDirectory* recordings_;
  EventLogDirectory* event_logs_;
  ApplicationCache* cache_;
  ApplicationEntries* names_;
  Catalogue* catalogue_;
  OnRow on_row_;
  std::map<std::string, Entry> entries_;  // on the thread only
  BackgroundTask task_{"cataloguer"};
  mutable std::mutex mutex_;
  std::condition_variable woken_, round_ended_;
  uint64_t rounds_ = 0;
  bool is_woken_ = false;
  bool stop_ = false;
  std::string problem_;
  std::atomic<uint64_t> waiting_ = 0;
  std::thread thread_;
};

}  // namespace sparkprof
