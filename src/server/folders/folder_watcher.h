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
  std::string location;      // as the user named it
  std::string problem;       // why it cannot be listed; empty = it can
  int64_t last_scan_ns = 0;  // end of the last complete one, since the Unix epoch; 0 = none yet
  size_t files = 0;
  size_t recordings = 0;
  size_t event_logs = 0;
  size_t unreadable = 0;              // files that cannot be read
  size_t duplicates = 0;              // event logs of an attempt that has a better one, which is read instead
  size_t not_listed = 0;              // folders that cannot be listed, symbolic links
  std::vector<std::string> examples;  // some of these, with the reason
};

// Keeps the directories up to date with one watched folder, on a thread of its own. A folder that cannot be reached
// keeps its applications, and is tried again less and less often, at least every minute.
class FolderWatcher {
 public:
  // `with_owners`: see StorageOptions. Fails for a location that no storage supports. `recordings`, `event_logs` and
  // `fetched` must outlive the watcher.
  static Result<std::unique_ptr<FolderWatcher>> Open(const std::string& location, bool with_owners,
                                                     RecordingDirectory* recordings, EventLogDirectory* event_logs,
                                                     FetchedFiles* fetched);
  ~FolderWatcher();
  FolderWatcher(const FolderWatcher&) = delete;
  FolderWatcher& operator=(const FolderWatcher&) = delete;

  // Scans from now on, with a pause of `interval` between two scans. `on_change` is called after each.
  void Start(std::chrono::milliseconds interval, std::function<void()> on_change);
  // Requests under way end soon, and all that follow fail.
  void Stop();
  // After Stop: waits until the scan has ended.
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
  FolderState state_;  // without what the directories count
  std::thread thread_;
};

}  // namespace sparkprof
