// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/answers.h"
#include "analysis/python/stitch.h"
#include "base/result.h"
#include "event_log/live_event_log.h"
#include "model/application.h"
#include "model/segment/block.h"
#include "server/folders/application_entries.h"
#include "server/folders/application_files.h"
#include "server/folders/opening_marks.h"

namespace sparkprof {

// One attempt of an application, and results computed on demand. Thread-safe.
class CachedAttempt {
 public:
  // `viewers`: who may see the attempt (ApplicationEntries). `prices`: for its costs.
  CachedAttempt(Application application, std::string viewers, std::optional<PriceList> prices);

  // The application before ChooseLanguage.
  const Application& Recorded() const { return *application_; }
  const std::string& Viewers() const { return viewers_; }
  std::shared_ptr<const Answers> GetAnswers();
  // The application after ChooseLanguage.
  std::shared_ptr<const Application> In(Language language, bool fold);
  // Gzip-compressed data of the application's page (docs/report-data.md).
  std::shared_ptr<const std::string> PageData();
  // Estimated memory. Does not wait for computations.
  uint64_t Bytes() const { return bytes_; }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Application> application_;
  const std::string viewers_;
  const std::optional<PriceList> prices_;
  std::shared_ptr<const Answers> answers_;
  std::map<std::pair<Language, bool>, std::shared_ptr<const Application>> languages_;
  std::shared_ptr<const std::string> page_data_;
  std::atomic<uint64_t> bytes_ = 0;
};

struct CachedApplication {
  std::string entry;    // name of the entry (ApplicationEntries)
  std::string version;  // ApplicationFiles::version
  // False if recordings of its hosts may still be incomplete up to its last change.
  bool is_settled = true;
  RecordingStatus status;
  std::vector<std::shared_ptr<CachedAttempt>> attempts;  // in order of start; never empty
  std::chrono::steady_clock::duration load_time{};
  std::chrono::steady_clock::time_point loaded_at;

  // The attempt with this name; the last one for an empty name. Null if it does not exist.
  std::shared_ptr<CachedAttempt> Attempt(std::string_view name) const;
};

// Cache of loaded applications, bounded by memory; evicts the least recently used. Reading an application may need
// kReadMemory times the bound (at least 256 MiB), because small blocks can expand to many times their size. At most two
// are read at once. Thread-safe.
class ApplicationCache {
 public:
  static constexpr uint64_t kReadMemory = 8;
  static constexpr uint64_t kLeastReadMemory = uint64_t{256} << 20;
  static constexpr int kReadAtOnce = 2;

  ApplicationCache(const RecordingDirectory* recordings, const EventLogDirectory* event_logs, FetchedFiles* fetched,
                   ApplicationEntries* entries, OpeningMarks* marks, std::optional<PriceList> prices,
                   uint64_t max_bytes)
      : recordings_(recordings),
        event_logs_(event_logs),
        fetched_(fetched),
        entries_(entries),
        marks_(marks),
        prices_(std::move(prices)),
        max_bytes_(max_bytes) {}

  // Loads the application if it is new or has changed. A frequently changing application is reloaded only after ten
  // times its loading time, unless `latest` is set. Returns null if the application does not exist. Fails if its files
  // cannot be read, do not fit into memory, or are set aside. Marks the application as open for the scope of this
  // thread.
  Result<std::shared_ptr<const CachedApplication>> Get(const std::string& id, bool latest = false);

  // The latest state, for the catalogue. Does not cache an application that nobody has opened.
  Result<std::shared_ptr<const CachedApplication>> Read(const std::string& id);

  // The application if it is loaded, even if it has changed since.
  std::shared_ptr<const CachedApplication> Loaded(const std::string& id) const;

  // Applications loaded since the last call.
  std::vector<std::string> TakeLoaded();

  uint64_t Bytes() const;

 private:
  struct Slot {
    std::mutex mutex;  // held while the application is loaded
    std::shared_ptr<const CachedApplication> application;
    std::unique_ptr<LiveEventLog>
        live;               // reader behind `application`, which continues as the log grows; null = files do not grow
    bool is_live = false;   // whether `live` is set; guarded by `mutex`, as `application` is
    std::string too_large;  // version of the files that did not fit into memory; they are not read again
    uint64_t last_use = 0;

    uint64_t Bytes() const;
  };

  // Waits for its turn and loads within the memory limit. nullopt = the limit was exceeded.
  std::optional<Result<std::shared_ptr<CachedApplication>>> LoadWithinMemory(const std::string& id,
                                                                             const ApplicationFiles& files,
                                                                             std::unique_ptr<LiveEventLog>* live);
  Result<std::shared_ptr<CachedApplication>> Load(const std::string& entry, ApplicationFiles files,
                                                  std::unique_ptr<LiveEventLog>* live) const;
  uint64_t MostReadMemory() const { return std::max(kReadMemory * max_bytes_, kLeastReadMemory); }
  Error TooLargeToRead(const std::string& id) const;
  void Trim();

  const RecordingDirectory* recordings_;
  const EventLogDirectory* event_logs_;
  FetchedFiles* fetched_;
  ApplicationEntries* entries_;
  OpeningMarks* marks_;
  const std::optional<PriceList> prices_;
  uint64_t max_bytes_;
  std::counting_semaphore<kReadAtOnce> reads_{kReadAtOnce};
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Slot>> slots_;
  std::set<std::string> loaded_;  // result of the next TakeLoaded
  uint64_t uses_ = 0;
};

}  // namespace sparkprof
