// SPDX-License-Identifier: Apache-2.0
#include "server/folders/folder_watcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/time.h"

namespace sparkprof {
namespace {

using WatchClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestPause{60};
constexpr size_t kMaxExamples = 5;
// The pause between two scans is at least this multiple of the scan's time.
constexpr int kPausePerScan = 4;

}  // namespace

Result<std::unique_ptr<FolderWatcher>> FolderWatcher::Open(const std::string& location, bool with_owners,
                                                           RecordingDirectory* recordings,
                                                           EventLogDirectory* event_logs, FetchedFiles* fetched) {
  std::unique_ptr<FolderWatcher> watcher(new FolderWatcher);
  StorageOptions options;
  options.stop = &watcher->stop_;
  options.with_owners = with_owners;
  Result<std::unique_ptr<Storage>> storage = OpenStorage(location, options);
  if (!storage) return tl::unexpected(storage.error());
  watcher->location_ = location;
  watcher->task_ = std::make_unique<BackgroundTask>("watcher of " + location);
  watcher->storage_ = std::move(*storage);
  watcher->recordings_ = recordings;
  watcher->event_logs_ = event_logs;
  watcher->fetched_ = fetched;
  fetched->Add(watcher->storage_.get());
  return watcher;
}

FolderWatcher::~FolderWatcher() {
  Stop();
  Join();
}

void FolderWatcher::Start(std::chrono::milliseconds interval, std::function<void()> on_change) {
  interval_ = interval;
  on_change_ = std::move(on_change);
  thread_ = std::thread([this] { Run(); });
}

void FolderWatcher::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
}

void FolderWatcher::Join() {
  if (thread_.joinable()) thread_.join();
}

void FolderWatcher::Run() {
  task_->NameThread();
  std::chrono::milliseconds pause = interval_;
  while (!stop_) {
    const WatchClock::time_point begin = WatchClock::now();
    Result<void> scanned;
    const bool is_whole = task_->Attempt([&] {
      scanned = Scan();
      if (stop_) return;
      fetched_->SetProblem(Root(), scanned ? "" : scanned.error().message);
      on_change_();
    });
    if (stop_) return;
    const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(WatchClock::now() - begin);
    const std::chrono::milliseconds longest = kLongestPause;
    pause = scanned && is_whole ? std::max(interval_, kPausePerScan * taken) : 2 * pause;
    pause = std::min(pause, longest);
    std::unique_lock lock(mutex_);
    state_.problem = scanned ? std::string() : std::move(scanned.error().message);
    stopped_.wait_for(lock, pause, [this] { return stop_.load(); });
  }
}

Result<void> FolderWatcher::Scan() {
  const Result<StorageListing> listing = storage_->List();
  if (!listing) return tl::unexpected(listing.error());
  if (stop_) return {};
  // The storage is reachable again, so its files can be fetched.
  fetched_->SetProblem(Root(), "");
  recordings_->Update(Root(), *listing, stop_);
  event_logs_->Update(storage_.get(), *listing, stop_);
  const std::lock_guard lock(mutex_);
  state_.files = listing->files.size();
  state_.not_listed = listing->not_listed.size();
  state_.last_scan_ns = EpochNanos();
  state_.examples.clear();
  for (const NotListed& entry : listing->not_listed) {
    if (state_.examples.size() < kMaxExamples)
      state_.examples.push_back(fmt::format("{}: {}", entry.name, entry.reason));
  }
  return {};
}

FolderState FolderWatcher::State() const {
  FolderState state;
  {
    const std::lock_guard lock(mutex_);
    state = state_;
  }
  state.location = location_;
  const RecordingDirectory::Counts recordings = recordings_->CountBelow(Root());
  const EventLogDirectory::Counts event_logs = event_logs_->CountOf(Root());
  state.recordings = recordings.files;
  state.event_logs = event_logs.logs;
  state.unreadable = recordings.unreadable + event_logs.unreadable;
  state.duplicates = event_logs.duplicates;
  for (std::string& problem : recordings_->Problems(Root(), kMaxExamples)) state.examples.push_back(std::move(problem));
  for (std::string& problem : event_logs_->Problems(Root(), kMaxExamples)) state.examples.push_back(std::move(problem));
  for (std::string& duplicate : event_logs_->Duplicates(Root(), kMaxExamples)) {
    state.examples.push_back(std::move(duplicate));
  }
  return state;
}

}  // namespace sparkprof
