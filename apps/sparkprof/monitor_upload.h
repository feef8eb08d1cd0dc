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
#include "server_options.h"

namespace sparkprof {

// Sends the recordings in a folder to a collector, as they grow, and removes what the collector has. While the
// collector is away the folder keeps them, up to a size; then the oldest are dropped. Also sends what an earlier
// monitor left there.
class MonitorUpload {
 public:
  // A recording should go on in another file after this size: whole files are removed.
  static constexpr int64_t kFileBytes = int64_t{4} << 20;

  // Fails with the option's name.
  static Result<std::unique_ptr<MonitorUpload>> Create(const CollectorOptions& server, const std::string& folder,
                                                       const std::string& spool_size);
  ~MonitorUpload();

  // A block was written; `current` is the file that may still grow.
  void Wake(const std::string& current);

  // Sends the rest for some seconds at most.
  void Finish();

  // Bytes that were dropped before the collector had them.
  int64_t DroppedBytes() const { return dropped_bytes_; }

 private:
  MonitorUpload(ServerClient client, std::string folder, int64_t max_bytes);

  void Run();
  // Sends everything that is there. False if the collector did not take it.
  bool SendAll(const std::string& current);
  bool SendFile(const std::string& path, bool is_current);
  bool Post(std::string_view body);
  void DropOldest(const std::string& current);

  const ServerClient client_;
  const std::string folder_;
  const int64_t max_bytes_;
  std::map<std::string, size_t> sent_;  // bytes of each file that the collector has
  std::string problem_;                 // the last one that was printed
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
