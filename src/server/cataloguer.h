// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "server/application_cache.h"
#include "server/recording_directory.h"

namespace sparkprof {

// Keeps the catalogue's entries equal to the recordings, on a thread of its own: an entry of a running application is
// replaced no more often than every 10 s, and less often if that takes long.
class Cataloguer {
 public:
  Cataloguer(RecordingDirectory* directory, ApplicationCache* cache, Catalogue* catalogue);
  ~Cataloguer();
  Cataloguer(const Cataloguer&) = delete;
  Cataloguer& operator=(const Cataloguer&) = delete;

  // Files may have changed.
  void Wake();
  // Why the catalogue is behind the recordings; empty if it is not.
  std::string Problem() const;
  uint64_t Waiting() const { return waiting_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Entry {
    std::string version;  // in the catalogue
    std::vector<ApplicationKey> keys;
    bool is_running = false;
    Clock::time_point next{};  // not before
  };

  // What an earlier process left in the catalogue.
  void Restore();
  void Run();
  // Brings one application up to date.
  Result<void> Update(const std::string& id, Entry* entry);
  // Lists the running attempts of an application as incomplete.
  Result<void> GiveUp(Entry* entry);

  RecordingDirectory* directory_;
  ApplicationCache* cache_;
  Catalogue* catalogue_;
  std::map<std::string, Entry> entries_;  // on the thread only
  mutable std::mutex mutex_;
  std::condition_variable woken_;
  bool is_woken_ = false;
  bool stop_ = false;
  std::string problem_;
  std::atomic<uint64_t> waiting_ = 0;
  std::thread thread_;
};

}  // namespace sparkprof
