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
  // Since an application's last block arrived, by this machine's clock; 0 = never.
  int64_t remove_after_ns = 0;
  int64_t coarsen_after_ns = 0;
  int64_t max_bytes = 0;  // of recordings; 0 = unbounded

  bool IsOn() const { return remove_after_ns > 0 || coarsen_after_ns > 0 || max_bytes > 0; }
};

// The width of time buckets for samples of that age; 0 = as recorded: after `coarsen_after_ns` 10 s, after four times
// as long 1 min.
int64_t CoarseBucket(const RetentionOptions& options, int64_t age_ns);

// An application that may be removed.
struct RetainedApplication {
  std::string id;
  int64_t changed_ns = 0;
  int64_t bytes = 0;
  std::vector<std::string> paths;
};
// Applications to remove among `ended`, the oldest first. `bytes` are those of all recordings.
std::vector<RetainedApplication> ExpiredApplications(const RetentionOptions& options,
                                                     std::vector<RetainedApplication> ended, int64_t bytes,
                                                     int64_t now_ns);

// Removes the oldest applications of a store that have ended, and makes the samples of others coarser, on a thread of
// its own. Recordings that are read in place elsewhere stay.
class Retention {
 public:
  using Log = std::function<void(const std::string& line)>;

  Retention(const RetentionOptions& options, RecordingStore* store, const RecordingDirectory* directory,
            Catalogue* catalogue, AuditLog* audit, OpeningMarks* marks, Log log);
  ~Retention();
  Retention(const Retention&) = delete;
  Retention& operator=(const Retention&) = delete;

  // To be called when the catalogue has the state of all applications: one that is listed as running stays.
  void Start();

  const BackgroundTask& Task() const { return task_; }
  // Why recordings are not removed or made coarser; empty if nothing is in the way.
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
  BackgroundTask task_{"retention"};
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::string problem_;
  std::thread thread_;
};

}  // namespace sparkprof
