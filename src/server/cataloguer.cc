// SPDX-License-Identifier: Apache-2.0
#include "server/cataloguer.h"

#include <sys/resource.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/time.h"
#include "catalogue/catalogue_entry.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

constexpr std::chrono::seconds kPoll{1};
constexpr std::chrono::seconds kLeastPause{10};
constexpr int kPausePerWork = 10;
constexpr int kNiceness = 10;
constexpr size_t kAllApplications = 100'000'000;
// An application that has no end and sends nothing for so long is not expected to go on. Agents send every few seconds,
// but a server that was away, or a busy cluster, is no reason to give one up.
constexpr int64_t kSilenceNs = 120 * kNanosPerSecond;

}  // namespace

Cataloguer::Cataloguer(RecordingDirectory* directory, ApplicationCache* cache, Catalogue* catalogue)
    : directory_(directory), cache_(cache), catalogue_(catalogue) {
  Restore();
  thread_ = std::thread([this] { Run(); });
}

Cataloguer::~Cataloguer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  woken_.notify_all();
  thread_.join();
}

void Cataloguer::Wake() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  woken_.notify_all();
}

std::string Cataloguer::Problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

void Cataloguer::Restore() {
  ApplicationQuery all;
  all.limit = kAllApplications;
  const Result<ApplicationPage> page = catalogue_->Applications(all);
  if (!page) {
    problem_ = page.error().message;
    return;
  }
  for (const ApplicationRow& row : page->applications) {
    directory_->Restore(row.key.id, row.location);
    Entry& entry = entries_[row.key.id];
    entry.version = row.version;
    entry.keys.push_back(row.key);
    entry.is_running = entry.is_running || row.status == ApplicationStatus::kRunning;
  }
}

void Cataloguer::Run() {
  // Requests come first.
  setpriority(PRIO_PROCESS, 0, kNiceness);  // of this thread
  std::set<std::string> waiting;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      woken_.wait_for(lock, kPoll, [this] { return stop_ || is_woken_; });
      is_woken_ = false;
      if (stop_) return;
    }
    for (std::string& id : directory_->TakeChanged()) waiting.insert(std::move(id));
    const Clock::time_point now = Clock::now();
    for (auto& [id, entry] : entries_) {
      if (entry.is_running && entry.next <= now) waiting.insert(id);
    }
    waiting_ = waiting.size();
    for (auto id = waiting.begin(); id != waiting.end();) {
      Entry& entry = entries_[*id];
      if (entry.next > Clock::now()) {
        ++id;
        continue;
      }
      const Clock::time_point begin = Clock::now();
      const Result<void> updated = Update(*id, &entry);
      const Clock::time_point end = Clock::now();
      entry.next = end + std::max<Clock::duration>(kLeastPause, kPausePerWork * (end - begin));
      {
        const std::lock_guard lock(mutex_);
        problem_ = updated ? "" : updated.error().message;
        if (stop_) return;
      }
      if (!updated) break;  // the catalogue fails: once more after a pause
      if (entry.keys.empty() && !entry.is_running) entries_.erase(*id);
      id = waiting.erase(id);
      waiting_ = waiting.size();
    }
  }
}

Result<void> Cataloguer::Update(const std::string& id, Entry* entry) {
  const std::optional<RecordedFiles> files = directory_->Find(id);
  if (!files) {
    for (const ApplicationKey& key : entry->keys) {
      if (Result<void> removed = catalogue_->Remove(key); !removed) return removed;
    }
    entry->keys.clear();
    entry->is_running = false;
    return {};
  }
  const bool is_silent = EpochNanos() - files->changed_ns > kSilenceNs;
  if (entry->version == files->version) return entry->is_running && is_silent ? GiveUp(entry) : Result<void>();
  if (id == kUnidentified && !is_silent) {
    // A JVM learns its application's ID within seconds.
    entry->is_running = true;
    return {};
  }
  const Result<std::shared_ptr<const CachedApplication>> application = cache_->Get(id, /*latest=*/true);
  // Unreadable files are a problem of the directory, which tells it.
  if (!application || *application == nullptr) return {};
  std::vector<ApplicationKey> keys;
  bool is_running = false;
  for (const std::shared_ptr<CachedAttempt>& attempt : (*application)->attempts) {
    const bool is_last = attempt == (*application)->attempts.back();
    const CatalogueEntry made = MakeCatalogueEntry(
        *attempt->In(Language::kMerged, /*fold=*/true), *attempt->GetAnswers(),
        {.location = files->location, .version = (*application)->version, .is_live = is_last && !is_silent});
    if (Result<void> put = catalogue_->Put(made); !put) return put;
    is_running = is_running || made.application.status == ApplicationStatus::kRunning;
    keys.push_back(made.application.key);
  }
  for (const ApplicationKey& key : entry->keys) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    if (Result<void> removed = catalogue_->Remove(key); !removed) return removed;
  }
  entry->keys = std::move(keys);
  entry->version = (*application)->version;
  entry->is_running = is_running;
  return {};
}

Result<void> Cataloguer::GiveUp(Entry* entry) {
  for (const ApplicationKey& key : entry->keys) {
    Result<std::optional<ApplicationRow>> row = catalogue_->Find(key.id, key.attempt);
    if (!row) return tl::unexpected(row.error());
    if (!*row || (*row)->status != ApplicationStatus::kRunning) continue;
    (*row)->status = ApplicationStatus::kIncomplete;
    if (Result<void> put = catalogue_->PutRow(**row); !put) return put;
  }
  entry->is_running = false;
  return {};
}

}  // namespace sparkprof
