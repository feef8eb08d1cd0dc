// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/background_task.h"
#include "catalogue/catalogue.h"
#include "server/access/audit_log.h"
#include "server/folders/opening_marks.h"
#include "server/folders/recording_directory.h"
#include "server/ingest/recording_store.h"

namespace sparkprof {

struct RetentionOptions {
  // Age since the arrival of an application's last block, by this machine's clock; 0 = never.
  int64_t remove_after_ns = 0;
  int64_t coarsen_after_ns = 0;
  int64_t max_bytes = 0;  // size of all recordings; 0 = unlimited

  bool IsOn() const { return remove_after_ns > 0 || coarsen_after_ns > 0 || max_bytes > 0; }
};

// Bucket width for samples of that age: 10 s after `coarsen_after_ns`, 1 min after four times that; 0 = as recorded.
int64_t CoarseBucket(const RetentionOptions& options, int64_t age_ns);

struct RetainedApplication {
  std::string id;
  int64_t changed_ns = 0;
  int64_t bytes = 0;
  std::vector<std::string> paths;
};
// Selects applications to remove among `ended`, oldest first. `bytes` is the size of all recordings.
std::vector<RetainedApplication> ExpiredApplications(const RetentionOptions& options,
                                                     std::vector<RetainedApplication> ended, int64_t bytes,
                                                     int64_t now_ns);

// Removes the oldest ended applications of a store and coarsens the samples of others, on its own thread. Watched
// folders are never changed.
class Retention {
 public:
  using Log = std::function<void(const std::string& line)>;
  // Removes an entry from the store before its recordings are removed here; may be null.
  using Unshare = std::function<Result<void>(const std::string& entry)>;

  Retention(const RetentionOptions& options, RecordingStore* store, const RecordingDirectory* directory,
            Catalogue* catalogue, AuditLog* audit, OpeningMarks* marks, Log log, Unshare unshare = {});
  ~Retention();
  Retention(const Retention&) = delete;
  Retention& operator=(const Retention&) = delete;

  // Call when the catalogue has the state of all applications: running ones are never removed.
  void Start();

  const BackgroundTask& Task() const { return task_; }
  // Why recordings cannot be removed or coarsened; empty = no problem.
  std::string Problem() const;

  std::atomic<uint64_t> removed_applications = 0, removed_bytes = 0, coarsened_applications = 0;

 private:
  void Run();
  Result<void> Apply();
  Result<void> Remove(const RetainedApplication& application);
  Result<void> Coarsen(const RetainedApplication& application, int64_t bucket_ns);
  bool IsStopping() const;

  RetentionOptions options_;
  RecordingStore* store_;
  const RecordingDirectory* directory_;
  Catalogue* catalogue_;
  AuditLog* audit_;
  OpeningMarks* marks_;
  Log log_;
  Unshare unshare_;
  BackgroundTask task_{"retention"};
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::string problem_;
  std::thread thread_;
};

}  // namespace sparkprof
