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
#include "model/block.h"
#include "server/folders/application_entries.h"
#include "server/folders/application_files.h"
#include "server/folders/opening_marks.h"

namespace sparkprof {

// One attempt of an application, and what is computed from it when somebody asks. Thread-safe.
class CachedAttempt {
 public:
  // `viewers`: who may see it, see ApplicationEntries. `prices`: for its costs.
  CachedAttempt(Application application, std::string viewers, std::optional<PriceList> prices);

  // The recorded form, before ChooseLanguage.
  const Application& Recorded() const { return *application_; }
  const std::string& Viewers() const { return viewers_; }
  std::shared_ptr<const Answers> GetAnswers();
  // After ChooseLanguage.
  std::shared_ptr<const Application> In(Language language, bool fold);
  // The data of its page, gzip (docs/report-data.md).
  std::shared_ptr<const std::string> PageData();
  // Estimate of memory. Does not wait for computations.
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
  std::string entry;    // see ApplicationEntries
  std::string version;  // of ApplicationFiles
  // False if recordings of its hosts are in it that may not have had everything until its last change.
  bool is_settled = true;
  RecordingStatus status;
  std::vector<std::shared_ptr<CachedAttempt>> attempts;  // in order of start, at least one
  std::chrono::steady_clock::duration load_time{};
  std::chrono::steady_clock::time_point loaded_at;

  // The attempt with this name, or the last one for an empty name; null if there is none.
  std::shared_ptr<CachedAttempt> Attempt(std::string_view name) const;
};

// Applications that somebody looks at, up to a bound on their memory; the least recently used go first. Reading one may
// need kReadMemory times that bound, at least 256 MiB, and two are read at once: blocks that are small to store can
// expand to far more than their size, and many of them add up. Thread-safe.
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

  // Loads the application when it is new or has changed. One that changes often is loaded again no sooner than after
  // ten times what loading it took, unless `latest`. Null: there is no such application. Fails if its files cannot be
  // read, or not within the memory, or if it is set aside. It is marked as open as long as the scope of this thread.
  Result<std::shared_ptr<const CachedApplication>> Get(const std::string& id, bool latest = false);

  // The latest state for the catalogue. An application that nobody has opened is read without being kept.
  Result<std::shared_ptr<const CachedApplication>> Read(const std::string& id);

  // The application if it is loaded, whether it has changed since or not.
  std::shared_ptr<const CachedApplication> Loaded(const std::string& id) const;

  // Applications that were loaded since the last call.
  std::vector<std::string> TakeLoaded();

  uint64_t Bytes() const;

 private:
  struct Slot {
    std::mutex mutex;  // held while it is loaded
    std::shared_ptr<const CachedApplication> application;
    std::unique_ptr<LiveEventLog> live;  // what `application` was made from, to go on; null = files that do not grow
    bool is_live = false;                // it has one; of `mutex_`, as `application`
    std::string too_large;               // the version of the files that did not fit, which are not read again
    uint64_t last_use = 0;

    uint64_t Bytes() const;
  };

  // Load in turn and within the memory; no value: it needs more.
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
  std::set<std::string> loaded_;  // see TakeLoaded
  uint64_t uses_ = 0;
};

}  // namespace sparkprof
