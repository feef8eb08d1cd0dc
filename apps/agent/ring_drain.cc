// SPDX-License-Identifier: Apache-2.0
#include "ring_drain.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text/text.h"
#include "capture/proc.h"

namespace sparkprof {
namespace {

// The plugin creates folders with this prefix for one JVM; they contain nothing else.
constexpr std::string_view kPrivateFolderPrefix = "sparkprof-python-";

struct WorkerName {
  int64_t pid;
  int64_t start_ticks;
};

// Parses "4711-99.ring".
std::optional<WorkerName> ParseName(std::string_view name) {
  constexpr std::string_view kSuffix = kRingSuffix;
  if (!name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  const size_t dash = name.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto pid = ParseInteger(name.substr(0, dash));
  const auto start_ticks = ParseInteger(name.substr(dash + 1));
  if (!pid || !start_ticks) return std::nullopt;
  return WorkerName{*pid, *start_ticks};
}

bool Lives(const WorkerName& worker) {
  const auto stat = ReadProcessStat(worker.pid);
  // Reading fails even for a running process if no file descriptor is free.
  if (!stat) return kill(static_cast<pid_t>(worker.pid), 0) == 0 || errno != ESRCH;
  return stat->start_ticks == worker.start_ticks && stat->state != 'Z';
}

// Returns false if the folder exists but cannot be read.
bool ListRings(const std::string& folder, std::set<std::string>* names) {
  const auto close = [](DIR* entries) { closedir(entries); };
  const std::unique_ptr<DIR, decltype(close)> entries(opendir(folder.c_str()), close);
  if (!entries) return errno == ENOENT;
  while (const dirent* entry = readdir(entries.get())) {
    if (ParseName(entry->d_name)) names->insert(entry->d_name);
  }
  return true;
}

}  // namespace

std::string RingName(int64_t pid, int64_t start_ticks) {
  return std::to_string(pid) + "-" + std::to_string(start_ticks) + kRingSuffix;
}

void RingDrain::Losses::Add(const WorkerRing& ring) {
  const RingReader& reader = ring.Reader();
  dropped += reader.Dropped();
  torn += reader.Torn();
  unreadable += reader.Unreadable();
  damaged_bytes += reader.DamagedBytes();
  notices += ring.DroppedNotices();
  native_unknown += reader.NativeUnknown();
  native_guessed += reader.NativeGuessed();
}

bool RingDrain::Open(const std::string& name) {
  auto reader = RingReader::Open(folder_ + "/" + name);
  const WorkerName worker = *ParseName(name);
  if (!reader || reader->Pid() != worker.pid || reader->StartTicks() != worker.start_ticks) return false;
  const int64_t bucket_ns = writer_->source().bucket_ns;
  if (!allocations_) allocations_.emplace(bucket_ns);
  rings_[name] =
      std::make_unique<WorkerRing>(std::move(*reader), bucket_ns, writer_, activity_, &*allocations_, times_, &names_);
  if (interval_ns_ >= 0) rings_[name]->SetIntervalNs(interval_ns_);
  return true;
}

void RingDrain::Drain(const std::function<void(int64_t, int64_t)>& on_task_end) {
  if (folder_.empty()) return;
  const ClockAnchor now = ReadClocks();
  drained_ns_ = now.epoch_ns;
  std::set<std::string> names;
  for (const auto& [name, ring] : rings_) names.insert(name);
  if (!ListRings(folder_, &names)) ++not_listed_;
  for (const std::string& name : names) {
    // Checked before reading the ring; later records are read next time.
    const bool lives = Lives(*ParseName(name));
    auto ring = rings_.find(name);
    if (ring == rings_.end()) {
      const bool opened = Open(name);
      if (!opened && lives) continue;  // may not be ready yet
      if (!opened) {
        ++refused_;
        unlink((folder_ + "/" + name).c_str());
        continue;
      }
      ring = rings_.find(name);
    }
    WorkerRing& worker = *ring->second;
    worker.Drain(now.epoch_ns - now.monotonic_ns, batch_.get());
    if (worker.TakeTaskEnded() && on_task_end && lives)
      on_task_end(worker.Reader().Pid(), worker.Reader().StartTicks());
    if (lives) continue;
    worker.Finish();
    worker.ReleaseAll(now.epoch_ns);
    worker.Complete();
    gone_.Add(worker);
    unlink((folder_ + "/" + name).c_str());
    finished_.insert(name);
    rings_.erase(ring);
  }
}

void RingDrain::HandOver() { HandOver(drained_ns_); }

void RingDrain::HandOver(int64_t allocations_until_ns) {
  for (const auto& [name, ring] : rings_) ring->Complete();
  // A worker does not pause immediately when requested. Its blocks are freed during a pause, too.
  if (interval_ns_ == 0) batch_ = std::make_unique<PythonBatch>();
  if (allocations_) allocations_->AddRows(allocations_until_ns, &batch_->samples);
  if (batch_->oldest_ns == 0 && batch_->samples.samples.Rows().empty()) return;
  writer_->AddSamples(std::move(batch_->samples));
  batch_ = std::make_unique<PythonBatch>();
}

void RingDrain::SetInterval(int64_t interval_ns) {
  if (interval_ns == interval_ns_) return;
  Drain();
  HandOver();
  interval_ns_ = interval_ns;
  for (const auto& [name, ring] : rings_) ring->SetIntervalNs(interval_ns_);
}

void RingDrain::Finish() {
  Drain();
  for (const auto& [name, ring] : rings_) {
    ring->Finish();
    unlink((folder_ + "/" + name).c_str());
  }
  HandOver(INT64_MAX);
  RemovePrivateFolder();
}

void RingDrain::RemovePrivateFolder() const {
  const std::filesystem::path folder = std::filesystem::path(folder_).parent_path();
  if (!folder.filename().native().starts_with(kPrivateFolderPrefix)) return;
  std::error_code ignored;  // the plugin may delete it at the same time
  std::filesystem::remove_all(folder, ignored);
}

bool RingDrain::HasRing(int64_t pid, int64_t start_ticks) const { return rings_.contains(RingName(pid, start_ticks)); }

void RingDrain::NoteLosses() {
  Losses all = gone_;
  for (const auto& [name, ring] : rings_) all.Add(*ring);
  writer_->SetLoss("python_samples", "ring of the worker full", all.dropped);
  writer_->SetLoss("python_samples", "stack changed while it was read", all.torn);
  writer_->SetLoss("python_samples", "stack unreadable", all.unreadable);
  writer_->SetLoss("python_ring_bytes", "damaged", all.damaged_bytes);
  writer_->SetLoss("python_notices", "more than 5 of one worker", all.notices);
  writer_->SetLoss("python_native_stacks", "outer frames unknown", all.native_unknown);
  writer_->SetLoss("python_native_stacks", "callers guessed", all.native_guessed);
  writer_->SetLoss("python_rings", "unreadable", refused_);
  writer_->SetLoss("python_ring_folder", "cannot be listed", not_listed_);
}

}  // namespace sparkprof
