// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
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

// Keeps the catalogue in sync with recordings and event logs, on its own thread. The entry of a running application is
// updated at most every 10 s, less often if that is slow. An application with event logs only is listed from their
// first and last events, and gets a complete entry once it is loaded. Of several nodes with one catalogue, the one that
// is responsible for an application makes its entry; another does if the catalogue has no newer state for half a
// minute.
class Cataloguer {
 public:
  // Called on the thread after an application's entry has changed, with the arrival time of its last block.
  using OnRow = std::function<void(const ApplicationRow& row, int64_t changed_ns)>;

  // Whether this node is responsible for an application; nullopt while it lacks blocks that others have.
  using IsOurs = std::function<std::optional<bool>(const std::string& id)>;

  // `roots`: roots of the watched folders. `is_ours`: set if other nodes write to the catalogue.
  Cataloguer(std::vector<std::string> roots, RecordingDirectory* recordings, EventLogDirectory* event_logs,
             ApplicationCache* cache, ApplicationEntries* names, Catalogue* catalogue, OnRow on_row,
             IsOurs is_ours = {});
  ~Cataloguer();
  Cataloguer(const Cataloguer&) = delete;
  Cataloguer& operator=(const Cataloguer&) = delete;

  // Call when files may have changed.
  void Wake();
  // Why the catalogue is outdated; empty if it is not.
  std::string Problem() const;
  uint64_t Waiting() const { return waiting_; }
  const BackgroundTask& Task() const { return task_; }
  // Waits until the catalogue contains all file changes so far, or shortly after `stop` is set.
  void CatchUp(const std::atomic<bool>& stop);

 private:
  using Clock = std::chrono::steady_clock;

  struct Entry {
    std::string version;  // version in the catalogue
    std::string files;    // version of the files that it was made of; empty = unknown
    std::vector<ApplicationKey> keys;
    bool is_running = false;
    bool is_complete = false;               // built from the loaded application
    bool has_files = false;                 // this node has had files of it
    std::optional<Clock::time_point> left;  // when it was left to another node
    Clock::time_point next{};               // earliest time of the next update
  };

  // Complete entries that are stored together: a transaction takes longer than a small application.
  struct Batch {
    struct Update {
      std::string id;
      Entry updated;  // state after its rows are stored, one per key
      int64_t changed_ns = 0;
    };
    std::vector<CatalogueEntry> rows;
    std::vector<Update> updates;  // in the order of the rows
    size_t bytes = 0;
    Clock::time_point begin{};

    bool IsFull() const;
  };

  // Restores entries that an earlier process left in the catalogue.
  void Restore();
  void Run();
  // Updates all waiting applications; those that must wait longer stay in `waiting`.
  void RunRound(std::set<std::string>* waiting);
  enum class Turn : uint8_t { kOurs, kOthers, kNobodys };
  // Returns who updates the application. kNobodys: the catalogue already has its state.
  Result<Turn> TurnFor(const std::string& id, Entry* entry);
  // The version that the catalogue has of these files.
  std::string VersionOf(const ApplicationFiles& files) const;
  // Lists all new applications among `ids` with event logs only, and removes them from `ids`.
  Result<void> ListNew(std::set<std::string>* ids);
  // Updates one application, immediately or in the batch.
  Result<void> Update(const std::string& id, Entry* entry, Batch* batch);
  // Updates it from the first and last events of its logs.
  Result<void> UpdateRows(const std::string& id, const ApplicationFiles& files, Entry* entry);
  // Updates it from the loaded application: adds its rows to the batch.
  void AddComplete(const CachedApplication& application, const ApplicationFiles& files, const std::string& id,
                   Batch* batch);
  // Stores and clears the batch, and removes its applications from `waiting`.
  Result<void> Put(Batch* batch, std::set<std::string>* waiting);
  // Removes the application's rows with other keys from the catalogue.
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
  const IsOurs is_ours_;
  std::map<std::string, Entry> entries_;  // used on the thread only, as `left_`
  std::set<std::string> left_;            // changed applications that another node updates
  Clock::time_point next_cleaning_{};     // of the catalogue's leftovers
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

// The catalogue entries of an application, one per attempt. `location_of` returns the location of an attempt's files.
// An application without an end is running if `is_live` is set.
std::vector<CatalogueEntry> EntriesOf(const CachedApplication& application,
                                      const std::function<std::string(const std::string& attempt)>& location_of,
                                      bool is_live);

}  // namespace sparkprof
