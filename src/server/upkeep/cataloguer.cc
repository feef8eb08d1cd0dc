// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/cataloguer.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/hash_bytes.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

constexpr std::chrono::seconds kPoll{1};
constexpr std::chrono::seconds kOthersTime{30};  // time that another node has for an application
constexpr std::chrono::milliseconds kCataloguerStopPoll{100};
constexpr std::chrono::seconds kLeastPause{10};
constexpr int kPausePerWork = 10;
constexpr int kNiceness = 10;
constexpr std::chrono::hours kCleaningPause{1};
constexpr int64_t kWritingNs =
    24 * 3600 * kNanosPerSecond;  // a node writes an entry in less time, even with a wrong clock
constexpr size_t kAllCatalogued = 100'000'000;
// An application without an end that sends nothing for this time is considered incomplete. Agents send every few
// seconds; the margin covers a restarting server or a busy cluster.
constexpr int64_t kCataloguerSilenceNs = 120 * kNanosPerSecond;
// Like kCataloguerSilenceNs, for applications with event logs only: Spark flushes them when a buffer is full.
constexpr int64_t kEventLogSilenceNs = 900 * kNanosPerSecond;
// Maximum number of applications per transaction.
constexpr size_t kNewAtOnce = 500;

bool IsSilent(const ApplicationFiles& files) {
  return EpochNanos() - files.changed_ns > (files.recordings.empty() ? kEventLogSilenceNs : kCataloguerSilenceNs);
}

// The location of the recordings, then a line per event log of the attempt; see EventLogDirectory::Restore.
std::string LocationOf(const ApplicationFiles& files, const std::string& attempt) {
  std::string location = files.location;
  for (const StoredEventLog& log : files.event_logs) {
    if (log.attempt.attempt == attempt) location += EventLogDirectory::LocationOf(log);
  }
  return location;
}

ApplicationStatus StatusOfAttempt(const EventLogAttempt& attempt, bool is_silent) {
  if (attempt.completed) return attempt.has_failed ? ApplicationStatus::kFailed : ApplicationStatus::kFinished;
  return attempt.in_progress && !is_silent ? ApplicationStatus::kRunning : ApplicationStatus::kIncomplete;
}

// Fills the list's row from the attempt; totals that need the whole log stay as in `row`.
void DescribeAttempt(const std::string& id, const ApplicationFiles& files, const EventLogAttempt& attempt,
                     ApplicationRow* row) {
  row->key = {id, attempt.attempt};
  row->name = attempt.name;
  row->user = attempt.user;
  if (row->group.empty()) row->group = attempt.name.empty() ? id : attempt.name;
  row->status = StatusOfAttempt(attempt, IsSilent(files));
  // Findings of an earlier state of the log would be wrong.
  row->tasks = row->cpu_ns = row->findings = kUnknownTotal;
  row->start_ns = attempt.start_ns;
  row->end_ns = attempt.end_ns;
  if (!attempt.spark_version.empty()) row->spark_version = attempt.spark_version;
  row->location = LocationOf(files, attempt.attempt);
  row->viewers = attempt.viewers;
}

// Estimated memory.
size_t BytesOf(const CatalogueEntry& entry) {
  const Profile& stacks = entry.stacks;
  return sizeof(entry) + entry.totals.size() * sizeof(StackTotal) + stacks.stacks.Size() * 24 +
         stacks.strings.Size() * 100 + (entry.stages.size() + entry.findings.size() + entry.maxima.size()) * 200;
}

}  // namespace

Cataloguer::Cataloguer(std::vector<std::string> roots, RecordingDirectory* recordings, EventLogDirectory* event_logs,
                       ApplicationCache* cache, ApplicationEntries* names, Catalogue* catalogue, OnRow on_row,
                       IsOurs is_ours)
    : roots_(std::move(roots)),
      recordings_(recordings),
      event_logs_(event_logs),
      cache_(cache),
      names_(names),
      catalogue_(catalogue),
      on_row_(std::move(on_row)),
      is_ours_(std::move(is_ours)) {
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

void Cataloguer::CatchUp(const std::atomic<bool>& stop) {
  std::unique_lock lock(mutex_);
  const uint64_t enough = rounds_ + 2;  // the current round may have missed changes
  while (rounds_ < enough && !stop) round_ended_.wait_for(lock, kCataloguerStopPoll);
}

std::string Cataloguer::Problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

void Cataloguer::Restore() {
  ApplicationQuery all;
  all.limit = kAllCatalogued;
  const Result<ApplicationPage> page = catalogue_->Applications(all);
  if (!page) {
    problem_ = page.error().message;
    return;
  }
  std::vector<std::pair<std::string, ApplicationEntries::List>> lists;
  for (const ApplicationRow& row : page->applications) {
    const ApplicationEntries::List list{row.user, row.viewers};
    lists.emplace_back(row.key.id, list);
    names_->Restore(row.key.id, list);
    // The location is that of the node that made the entry.
    if (!is_ours_) recordings_->Restore(row.key.id, row.location);
    event_logs_->Restore(roots_, row);
    Entry& entry = entries_[row.key.id];
    entry.version = row.version;
    entry.keys.push_back(row.key);
    entry.is_running = entry.is_running || row.status == ApplicationStatus::kRunning;
  }
  // Applications of a server that kept no lists.
  names_->SettleAll(lists);
}

void Cataloguer::Run() {
  task_.NameThread();
  // Requests take precedence.
  setpriority(PRIO_PROCESS, 0, kNiceness);  // lowers this thread only
  std::set<std::string> waiting;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      woken_.wait_for(lock, kPoll, [this] { return stop_ || is_woken_; });
      is_woken_ = false;
      if (stop_) return;
    }
    task_.Attempt([&] { RunRound(&waiting); });
    const std::lock_guard lock(mutex_);
    if (stop_) return;
    ++rounds_;
    round_ended_.notify_all();
  }
}

void Cataloguer::RunRound(std::set<std::string>* waiting) {
  for (std::string& id : recordings_->TakeChanged()) waiting->insert(std::move(id));
  for (std::string& id : event_logs_->TakeChanged()) waiting->insert(std::move(id));
  for (std::string& id : cache_->TakeLoaded()) waiting->insert(std::move(id));
  const Clock::time_point now = Clock::now();
  for (auto& [id, entry] : entries_) {
    if (entry.is_running && entry.next <= now) waiting->insert(id);
  }
  for (auto id = left_.begin(); id != left_.end();) {
    const std::optional<Clock::time_point>& left = entries_[*id].left;
    if (left && now - *left < kOthersTime && is_ours_(*id) != true) {
      ++id;
      continue;
    }
    waiting->insert(*id);
    id = left_.erase(id);
  }
  waiting_ = waiting->size();
  const auto set_problem = [this](const std::string& problem) {
    const std::lock_guard lock(mutex_);
    problem_ = problem;
    return stop_;
  };
  if (const Result<void> listed = ListNew(waiting); !listed) {
    set_problem(listed.error().message);
    return;
  }
  std::string skipped;  // first problem of one application; does not stop the others
  Batch batch;
  for (const std::string& id : std::vector<std::string>(waiting->begin(), waiting->end())) {
    Entry& entry = entries_[id];
    if (entry.next > Clock::now()) continue;
    if (is_ours_) {
      const Result<Turn> turn = TurnFor(id, &entry);
      if (!turn) {
        set_problem(turn.error().message);
        return;
      }
      if (*turn == Turn::kOthers) left_.insert(id);
      if (*turn != Turn::kOurs) {
        waiting->erase(id);
        continue;
      }
    }
    const Clock::time_point begin = Clock::now();
    const size_t updates = batch.updates.size();
    bool has_thrown = true;
    Result<void> updated = Guarded([&] {
      Result<void> done = Update(id, &entry, &batch);
      has_thrown = false;
      return done;
    });
    const Clock::time_point end = Clock::now();
    entry.next = end + std::max<Clock::duration>(kLeastPause, kPausePerWork * (end - begin));
    if (has_thrown) {
      if (skipped.empty()) skipped = fmt::format("application {}: {}", id, updated.error().message);
      continue;
    }
    const bool is_in_batch = batch.updates.size() > updates;
    if (updated && is_in_batch && batch.IsFull()) updated = Put(&batch, waiting);
    if (set_problem(updated ? skipped : updated.error().message)) return;
    if (!updated) return;  // the catalogue failed: retried after a pause
    if (is_in_batch) continue;
    if (entry.keys.empty() && !entry.is_running) entries_.erase(id);
    waiting->erase(id);
    waiting_ = waiting->size();
  }
  if (const Result<void> stored = Put(&batch, waiting); !stored) {
    set_problem(stored.error().message);
    return;
  }
  if (next_cleaning_ <= now) {
    next_cleaning_ = now + kCleaningPause;
    if (const Result<void> cleaned = catalogue_->RemoveLeftovers(EpochNanos() - kWritingNs); !cleaned) {
      set_problem(cleaned.error().message);
      return;
    }
  }
  if (!skipped.empty()) throw std::runtime_error(skipped);
}

std::string Cataloguer::VersionOf(const ApplicationFiles& files) const {
  return is_ours_ ? SharedVersion(files) : files.version;
}

Result<Cataloguer::Turn> Cataloguer::TurnFor(const std::string& id, Entry* entry) {
  const std::optional<bool> known = is_ours_(id);
  if (!known) return Turn::kOthers;
  const bool is_ours = *known;
  const Clock::time_point now = Clock::now();
  if (!is_ours) {
    if (!entry->left) entry->left = now;
    if (now - *entry->left < kOthersTime) return Turn::kOthers;
  }
  const ApplicationFiles files = FindApplication(*recordings_, *event_logs_, id);
  if (files.IsEmpty()) return Turn::kOurs;
  entry->has_files = true;
  const std::string shared_version = VersionOf(files);
  if (entry->version == shared_version && !entry->is_running) return is_ours ? Turn::kOurs : Turn::kNobodys;
  const Result<ApplicationPage> stored = catalogue_->Applications({.id = id});
  if (!stored) return tl::unexpected(stored.error());
  const std::vector<ApplicationRow>& rows = stored->applications;
  const std::string version = rows.empty() ? "" : rows.front().version;
  const bool is_news = !version.empty() && version != entry->version;
  if (is_news) {
    entry->version = version;
    entry->files.clear();
    entry->keys.clear();
    entry->is_running = false;
    for (const ApplicationRow& row : rows) {
      entry->keys.push_back(row.key);
      entry->is_running = entry->is_running || row.status == ApplicationStatus::kRunning;
    }
    entry->is_complete = !files.recordings.empty();
  }
  if (is_ours) return Turn::kOurs;
  entry->left.reset();
  if (version == shared_version) return Turn::kNobodys;
  // With news, the other node is at work.
  return is_news ? Turn::kOthers : Turn::kOurs;
}

bool Cataloguer::Batch::IsFull() const {
  constexpr size_t kMaxRows = 500, kMaxBytes = size_t{8} << 20;
  constexpr std::chrono::seconds kMaxTime{1};
  return rows.size() >= kMaxRows || bytes >= kMaxBytes || Clock::now() - begin >= kMaxTime;
}

Result<void> Cataloguer::Put(Batch* batch, std::set<std::string>* waiting) {
  if (batch->updates.empty()) return {};
  if (Result<void> put = catalogue_->PutAll(batch->rows); !put) return put;
  size_t row = 0;
  for (Batch::Update& update : batch->updates) {
    for (const size_t end = row + update.updated.keys.size(); row < end; ++row) {
      on_row_(batch->rows[row].application, update.changed_ns);
    }
    Entry& entry = entries_[update.id];
    if (Result<void> replaced = ReplaceKeys(std::move(update.updated.keys), &entry); !replaced) return replaced;
    entry.version = std::move(update.updated.version);
    entry.files = std::move(update.updated.files);
    entry.is_running = update.updated.is_running;
    entry.is_complete = true;
    entry.left.reset();
    waiting->erase(update.id);
  }
  waiting_ = waiting->size();
  *batch = {};
  return {};
}

Result<void> Cataloguer::ListNew(std::set<std::string>* ids) {
  std::vector<CatalogueEntry> rows;
  std::vector<std::pair<std::string, Entry>> listed;
  const auto put = [&]() -> Result<void> {
    if (Result<void> stored = catalogue_->PutAll(rows); !stored) return stored;
    for (auto& [id, entry] : listed) {
      entries_[id] = std::move(entry);
      ids->erase(id);
    }
    rows.clear();
    listed.clear();
    return {};
  };
  for (const std::string& id : std::vector<std::string>(ids->begin(), ids->end())) {
    const auto known = entries_.find(id);
    if (known != entries_.end() && !known->second.keys.empty()) continue;
    if (is_ours_ && is_ours_(id) != true) continue;
    const ApplicationFiles files = FindApplication(*recordings_, *event_logs_, id);
    if (files.IsEmpty() || !files.recordings.empty() || cache_->Loaded(id)) continue;
    Entry entry;
    entry.version = VersionOf(files);
    for (const StoredEventLog& log : files.event_logs) {
      ApplicationRow& row = rows.emplace_back().application;
      DescribeAttempt(id, files, log.attempt, &row);
      row.version = entry.version;
      entry.keys.push_back(row.key);
      entry.is_running = entry.is_running || row.status == ApplicationStatus::kRunning;
    }
    listed.emplace_back(id, std::move(entry));
    if (rows.size() < kNewAtOnce) continue;
    if (Result<void> stored = put(); !stored) return stored;
    const std::lock_guard lock(mutex_);
    if (stop_) return {};
  }
  return rows.empty() ? Result<void>() : put();
}

Result<void> Cataloguer::Update(const std::string& id, Entry* entry, Batch* batch) {
  const OpeningMarks::Scope marks;
  const ApplicationFiles files = FindApplication(*recordings_, *event_logs_, id);
  if (files.IsEmpty()) {
    // Another node's entry of an application whose blocks have not arrived here yet.
    if (is_ours_ && !entry->has_files) return {};
    entry->is_running = false;
    names_->Forget(id);
    return ReplaceKeys({}, entry);
  }
  const bool is_silent = IsSilent(files);
  std::shared_ptr<const CachedApplication> loaded;
  if (files.recordings.empty()) {
    // Loading all logs of a company takes days, so only opened applications get complete entries.
    loaded = cache_->Loaded(id);
    if (loaded && loaded->version != files.version) loaded = nullptr;
  }
  const bool is_current = entry->version == VersionOf(files) && (entry->files.empty() || entry->files == files.version);
  if (is_current && (entry->is_complete || !loaded)) {
    return entry->is_running && is_silent ? GiveUp(files.changed_ns, entry) : Result<void>();
  }
  if (files.recordings.empty()) {
    if (!loaded) return UpdateRows(id, files, entry);
    AddComplete(*loaded, files, id, batch);
    return {};
  }
  if (names_->ApplicationOf(id) == kUnidentified && !is_silent) {
    // A JVM receives its application ID within seconds.
    entry->is_running = true;
    return {};
  }
  const Result<std::shared_ptr<const CachedApplication>> application = cache_->Read(id);
  // The directory reports unreadable files.
  if (application && *application != nullptr) AddComplete(**application, files, id, batch);
  return {};
}

Result<void> Cataloguer::UpdateRows(const std::string& id, const ApplicationFiles& files, Entry* entry) {
  std::vector<ApplicationKey> keys;
  bool is_running = false;
  for (const StoredEventLog& log : files.event_logs) {
    Result<std::optional<ApplicationRow>> known = catalogue_->Find(id, log.attempt.attempt);
    if (!known) return tl::unexpected(known.error());
    ApplicationRow row = known->value_or(ApplicationRow());
    DescribeAttempt(id, files, log.attempt, &row);
    row.version = VersionOf(files);
    if (Result<void> put = catalogue_->PutRow(row); !put) return put;
    is_running = is_running || row.status == ApplicationStatus::kRunning;
    keys.push_back(row.key);
  }
  entry->version = VersionOf(files);
  entry->files = files.version;
  entry->is_running = is_running;
  entry->is_complete = false;
  return ReplaceKeys(std::move(keys), entry);
}

void Cataloguer::AddComplete(const CachedApplication& application, const ApplicationFiles& files, const std::string& id,
                             Batch* batch) {
  const bool is_silent = IsSilent(files);
  // Spark may still append to the log.
  const bool may_go_on = files.event_logs.empty() || files.event_logs.back().attempt.in_progress;
  if (batch->updates.empty()) batch->begin = Clock::now();
  // The application may have been read with files that came since: they are part of the next version.
  const std::string version = VersionOf(files);
  Batch::Update update{
      .id = id, .updated = {.version = version, .files = files.version}, .changed_ns = files.changed_ns};
  const auto location_of = [&](const std::string& attempt) { return LocationOf(files, attempt); };
  for (CatalogueEntry& made : EntriesOf(application, location_of, !is_silent && may_go_on)) {
    update.updated.is_running = update.updated.is_running || made.application.status == ApplicationStatus::kRunning;
    update.updated.keys.push_back(made.application.key);
    made.application.version = version;
    batch->bytes += BytesOf(made);
    batch->rows.push_back(std::move(made));
  }
  batch->updates.push_back(std::move(update));
}

Result<void> Cataloguer::ReplaceKeys(std::vector<ApplicationKey> keys, Entry* entry) {
  for (const ApplicationKey& key : entry->keys) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    if (Result<void> removed = catalogue_->Remove(key); !removed) return removed;
  }
  entry->keys = std::move(keys);
  return {};
}

Result<void> Cataloguer::GiveUp(int64_t changed_ns, Entry* entry) {
  for (const ApplicationKey& key : entry->keys) {
    Result<std::optional<ApplicationRow>> row = catalogue_->Find(key.id, key.attempt);
    if (!row) return tl::unexpected(row.error());
    if (!*row || (*row)->status != ApplicationStatus::kRunning) continue;
    (*row)->status = ApplicationStatus::kIncomplete;
    if (Result<void> put = catalogue_->PutRow(**row); !put) return put;
    on_row_(**row, changed_ns);
  }
  entry->is_running = false;
  return {};
}

}  // namespace sparkprof
