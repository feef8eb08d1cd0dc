// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/background_task.h"
#include "base/result.h"
#include "server/folders/event_log_directory.h"
#include "server/folders/fetched_files.h"
#include "server/folders/recording_directory.h"
#include "storage/storage.h"

namespace sparkprof {

struct FolderState {
  std::string location;      // as given by the user
  std::string problem;       // reason why it cannot be listed; empty = none
  int64_t last_scan_ns = 0;  // end of the last complete scan, since the Unix epoch; 0 = none yet
  size_t files = 0;
  size_t recordings = 0;
  size_t event_logs = 0;
  size_t unreadable = 0;              // unreadable files
  size_t duplicates = 0;              // event logs that are skipped: their attempt has a better one
  size_t not_listed = 0;              // unreadable folders and symbolic links
  std::vector<std::string> examples;  // some of these, with the reason
};

// Keeps the directories in sync with one watched folder, on its own thread. Applications of an unreachable folder stay;
// it is retried with growing pauses of at most a minute.
class FolderWatcher {
 public:
  // `with_owners`: see StorageOptions. Fails for an unsupported location. `recordings`, `event_logs` and `fetched` must
  // outlive the watcher.
  static Result<std::unique_ptr<FolderWatcher>> Open(const std::string& location, bool with_owners,
                                                     RecordingDirectory* recordings, EventLogDirectory* event_logs,
                                                     FetchedFiles* fetched);
  ~FolderWatcher();
  FolderWatcher(const FolderWatcher&) = delete;
  FolderWatcher& operator=(const FolderWatcher&) = delete;

  // Scans repeatedly with a pause of `interval`. Calls `on_change` after each scan.
  void Start(std::chrono::milliseconds interval, std::function<void()> on_change);
  // Aborts running requests; later ones fail.
  void Stop();
  // After Stop: waits for the scan to end.
  void Join();

  const std::string& Root() const { return storage_->Root(); }
  FolderState State() const;
  const BackgroundTask& Task() const { return *task_; }

 private:
  FolderWatcher() = default;
  void Run();
  Result<void> Scan();

  std::string location_;
  std::unique_ptr<BackgroundTask> task_;
  std::atomic<bool> stop_ = false;
  std::unique_ptr<Storage> storage_;
  RecordingDirectory* recordings_ = nullptr;
  EventLogDirectory* event_logs_ = nullptr;
  FetchedFiles* fetched_ = nullptr;
  std::chrono::milliseconds interval_{};
  std::function<void()> on_change_;
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  FolderState state_;  // without the directories' counts
  std::thread thread_;
};

}  // namespace sparkprof
