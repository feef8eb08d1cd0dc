// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/background_task.h"
#include "base/result.h"
#include "inputs/server_options.h"

namespace sparkprof {

// Uploads growing recordings in a folder to a collector, and removes what the collector has stored. While the collector
// is unreachable, the folder keeps them up to a size limit; then the oldest are dropped. Also uploads files left by an
// earlier monitor.
class MonitorUpload {
 public:
  // A recording should continue in another file after this size, because only whole files are removed.
  static constexpr int64_t kFileBytes = int64_t{4} << 20;

  // Errors include the option's name.
  static Result<std::unique_ptr<MonitorUpload>> Create(const CollectorOptions& server, const std::string& folder,
                                                       const std::string& spool_size);
  ~MonitorUpload();

  // Call after writing a block; `current` is the file that may still grow.
  void Wake(const std::string& current);

  // Uploads the rest, for a few seconds at most.
  void Finish();

  // Bytes that were dropped before the collector had stored them.
  int64_t DroppedBytes() const { return dropped_bytes_; }

 private:
  MonitorUpload(ServerClient client, std::string folder, int64_t max_bytes);

  void Run();
  // Uploads everything available. Returns false if the collector did not accept it.
  bool SendAll(const std::string& current);
  bool SendFile(const std::string& path, bool is_current);
  bool Post(std::string_view body);
  void DropOldest(const std::string& current);

  const ServerClient client_;
  const std::string folder_;
  const int64_t max_bytes_;
  std::map<std::string, size_t> sent_;  // bytes per file that the collector has stored
  std::string problem_;                 // last problem printed
  std::atomic<int64_t> dropped_bytes_{0};

  BackgroundTask task_{"upload"};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string current_;
  bool has_more_ = true;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace sparkprof
