// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/retention.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

#include "base/text/quantity.h"
#include "base/text/text.h"
#include "base/time.h"
#include "server/ingest/recording_rewriter.h"
#include "server/upkeep/store_inspection.h"

namespace sparkprof {
namespace {

constexpr std::chrono::seconds kPause{30};
constexpr int kCoarserAfter = 4;  // multiple of the first age

// Whether all files of an application have buckets of at least that width.
bool IsCoarse(const std::vector<std::string>& paths, int64_t bucket_ns) {
  return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return std::any_of(std::begin(kRewrittenFiles), std::end(kRewrittenFiles), [&](const RewrittenFile& file) {
      return file.bucket_ns >= bucket_ns && path.ends_with("/" + std::string(file.name));
    });
  });
}

}  // namespace

int64_t CoarseBucket(const RetentionOptions& options, int64_t age_ns) {
  if (options.coarsen_after_ns == 0 || age_ns < options.coarsen_after_ns) return 0;
  return age_ns / kCoarserAfter < options.coarsen_after_ns ? 10 * kNanosPerSecond : 60 * kNanosPerSecond;
}

std::vector<RetainedApplication> ExpiredApplications(const RetentionOptions& options,
                                                     std::vector<RetainedApplication> ended, int64_t bytes,
                                                     int64_t now_ns) {
  std::sort(ended.begin(), ended.end(), [](const RetainedApplication& a, const RetainedApplication& b) {
    return std::tie(a.changed_ns, a.id) < std::tie(b.changed_ns, b.id);
  });
  std::vector<RetainedApplication> expired;
  for (RetainedApplication& application : ended) {
    const bool is_old = options.remove_after_ns > 0 && now_ns - application.changed_ns > options.remove_after_ns;
    const bool is_too_much = options.max_bytes > 0 && bytes > options.max_bytes;
    if (!is_old && !is_too_much) break;
    bytes -= application.bytes;
    expired.push_back(std::move(application));
  }
  return expired;
}

Retention::Retention(const RetentionOptions& options, RecordingStore* store, const RecordingDirectory* directory,
                     Catalogue* catalogue, AuditLog* audit, OpeningMarks* marks, Log log, Unshare unshare)
    : options_(options),
      store_(store),
      directory_(directory),
      catalogue_(catalogue),
      audit_(audit),
      marks_(marks),
      log_(std::move(log)),
      unshare_(std::move(unshare)) {}

void Retention::Start() {
  if (options_.IsOn()) thread_ = std::thread([this] { Run(); });
}

Retention::~Retention() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::string Retention::Problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

bool Retention::IsStopping() const {
  const std::lock_guard lock(mutex_);
  return stop_;
}

void Retention::Run() {
  task_.NameThread();
  while (true) {
    Result<void> applied;
    task_.Attempt([&] { applied = Apply(); });
    std::unique_lock lock(mutex_);
    problem_ = applied ? std::string() : std::move(applied.error().message);
    if (stopped_.wait_for(lock, kPause, [this] { return stop_; })) return;
  }
}

Result<void> Retention::Apply() {
  const Result<std::vector<ApplicationRow>> rows = AllApplications(catalogue_);
  if (!rows) return tl::unexpected(rows.error());
  std::set<std::string> ids, running;
  for (const ApplicationRow& row : *rows) {
    (row.status == ApplicationStatus::kRunning ? running : ids).insert(row.key.id);
  }
  std::vector<RetainedApplication> ended;
  int64_t bytes = 0;
  for (const std::string& id : directory_->Applications()) {
    const std::optional<RecordedFiles> files = directory_->Find(id);
    if (!files) continue;
    const std::string folder = store_->FolderOf(id) + "/";
    RetainedApplication application{.id = id};
    for (const StoredFile& file : files->files) {
      if (!file.name.starts_with(folder)) continue;
      application.paths.push_back(file.name);
      application.bytes += file.size;
      application.changed_ns = std::max(application.changed_ns, file.modified_ns);
    }
    if (application.paths.empty()) continue;
    bytes += application.bytes;
    if (ids.contains(id) && !running.contains(id)) ended.push_back(std::move(application));
  }
  const int64_t now_ns = EpochNanos();
  std::set<std::string> removed;
  Result<void> applied;  // first failure; the remaining applications are still processed
  for (const RetainedApplication& application : ExpiredApplications(options_, ended, bytes, now_ns)) {
    if (IsStopping()) return {};
    const Result<void> done = Guarded([&] { return Remove(application); });
    if (!done && applied) applied = done;
    removed.insert(application.id);
  }
  for (const RetainedApplication& application : ended) {
    if (IsStopping()) return {};
    const int64_t bucket_ns = CoarseBucket(options_, now_ns - application.changed_ns);
    if (bucket_ns == 0 || removed.contains(application.id) || IsCoarse(application.paths, bucket_ns)) continue;
    const Result<void> done = Guarded([&] { return Coarsen(application, bucket_ns); });
    if (!done && applied) applied = done;
  }
  return applied;
}

Result<void> Retention::Remove(const RetainedApplication& application) {
  if (unshare_) {
    if (Result<void> unshared = unshare_(application.id); !unshared) return unshared;
  }
  if (Result<void> removed = store_->Remove(application.id); !removed) return removed;
  ++removed_applications;
  removed_bytes += static_cast<uint64_t>(application.bytes);
  const std::string before = fmt::format("{} files, {} bytes, last block at {}", application.paths.size(),
                                         application.bytes, FormatTimestamp(application.changed_ns));
  log_(fmt::format("retention: removed application {}: {}", application.id, before));
  return audit_->Add("", "server", "remove", application.id, before, "");
}

Result<void> Retention::Coarsen(const RetainedApplication& application, int64_t bucket_ns) {
  const Result<OpeningMarks::Mark> mark = marks_->Begin(application.id);
  if (!mark) return {};  // set aside; /healthz lists it
  const Result<RewrittenRecording> rewritten =
      store_->Rewrite(store_->FolderOf(application.id), application.id, bucket_ns);
  if (!rewritten) return tl::unexpected(rewritten.error());
  // Nothing to do, or damaged: /healthz and `store verify` report that.
  if (rewritten->files == 0) return {};
  ++coarsened_applications;
  const std::string after = fmt::format("buckets of {}, {} bytes", DurationText(bucket_ns), rewritten->bytes_after);
  log_(fmt::format("retention: coarsened the samples of application {}: {}", application.id, after));
  return audit_->Add("", "server", "coarsen", application.id, fmt::format("{} bytes", rewritten->bytes_before), after);
}

}  // namespace sparkprof
