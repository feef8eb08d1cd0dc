// SPDX-License-Identifier: Apache-2.0
#include "server/folders/event_log_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/background_task.h"
#include "base/io/compression.h"
#include "base/io/stream_entry.h"
#include "base/parallel.h"
#include "base/text/text.h"
#include "base/time.h"
#include "inputs/listed_event_logs.h"
#include "model/hash_bytes.h"
#include "server/folders/collector_files.h"
#include "server/folders/recording_directory.h"

namespace sparkprof {
namespace {

constexpr int64_t kRetryNs = 60 * kNanosPerSecond;
// The last events of a compressed log are read from an entry point in its last bytes.
constexpr size_t kMaxEntered = size_t{1} << 20;
// A log without an entry point is decompressed completely: immediately up to the first size (a few milliseconds), or
// piece by piece over several scans up to the second.
constexpr int64_t kSoonExpanded = int64_t{256} << 10;
constexpr int64_t kMaxExpanded = int64_t{256} << 20;
constexpr int64_t kExpandNsPerScan = 2 * kNanosPerSecond;
// Maximum number of concurrent requests to another machine.
constexpr size_t kRemoteReaders = 8;

std::string_view FileNameOf(std::string_view name) { return name.substr(name.rfind('/') + 1); }

bool IsCompressedName(std::string_view name) {
  if (name.ends_with(".inprogress")) name.remove_suffix(std::string_view(".inprogress").size());
  if (name.ends_with(".compact")) name.remove_suffix(std::string_view(".compact").size());
  return LongestEnding(name, ".zstd .zst .lz4 .snappy .lzf .gz") > 0;
}

// Returns nullopt if there are no events. `is_cut`: the first line may be incomplete.
std::optional<EventLogTail> TailIn(std::string_view lines, bool is_cut) {
  // The last line may be partial, or complete without a line end.
  const size_t begin = is_cut ? lines.find('\n') + 1 : 0;
  if (begin >= lines.size()) return std::nullopt;
  const EventLogTail tail = ReadEventLogTail(lines.substr(begin));
  return tail.end_ns > 0 ? std::optional(tail) : std::nullopt;
}

// Reads from an entry point near the end of a compressed log.
std::optional<EventLogTail> TailFromEntry(Storage* storage, const StoredFile& file) {
  for (size_t size = kEventLogTailBytes; size <= kMaxEntered; size *= kMaxEntered / kEventLogTailBytes) {
    const int64_t offset = file.size - static_cast<int64_t>(size);
    if (offset <= 0) break;
    const Result<std::string> stored = storage->Read(file.name, offset, size);
    if (!stored) break;
    if (const auto tail = TailIn(TextAtEnd(*stored, kEventLogTailBytes), /*is_cut=*/true)) return tail;
  }
  return std::nullopt;
}

// Returns nullopt if it would take too long, or there are no events at the end.
std::optional<EventLogTail> TailOf(Storage* storage, const StoredFile& file, int64_t max_expanded) {
  if (IsCompressedName(file.name)) {
    if (std::optional<EventLogTail> tail = TailFromEntry(storage, file)) return tail;
    if (file.size > max_expanded) return std::nullopt;
    const std::string lines = ReadLast(Decompress(OpenStored(storage, file), file.name).get(), kEventLogTailBytes);
    return TailIn(lines, lines.size() >= kEventLogTailBytes);
  }
  const int64_t offset = std::max<int64_t>(0, file.size - static_cast<int64_t>(kEventLogTailBytes));
  const Result<std::string> lines = storage->Read(file.name, offset, kEventLogTailBytes);
  return lines ? TailIn(*lines, offset > 0) : std::nullopt;
}

int64_t SizeOf(const std::vector<StoredFile>& files) {
  int64_t size = 0;
  for (const StoredFile& file : files) size += file.size;
  return size;
}

std::string VersionOf(const std::vector<StoredFile>& files, bool has_tail) {
  std::string text = has_tail ? "" : "?";
  for (const StoredFile& file : files) text += FormatFileLine(file) + "\n";
  return fmt::format("{:016x}", HashBytes(text));
}

constexpr std::string_view kFileLine = "log ";
constexpr std::string_view kVersionLine = "spark ";

}  // namespace

std::string EventLogDirectory::LocationOf(const StoredEventLog& log) {
  std::string location = VersionLine(log.attempt.spark_version);
  for (const StoredFile& file : log.files) {
    location += fmt::format("{}{}\n", kFileLine, FormatFileLine(file));
  }
  return location;
}

std::string EventLogDirectory::VersionLine(const std::string& spark_version) {
  return fmt::format("{}{}\n", kVersionLine, spark_version);
}

std::string EventLogDirectory::VersionIn(std::string_view location) {
  std::string_view version;
  for (const std::string_view line : Split(location, '\n')) {
    if (line.starts_with(kVersionLine)) version = line.substr(kVersionLine.size());
  }
  return std::string(version);
}

void EventLogDirectory::Restore(const std::vector<std::string>& roots, const ApplicationRow& row) {
  StorageListing listing;
  const std::string spark_version = VersionIn(row.location);
  for (const std::string_view line : Split(row.location, '\n')) {
    if (!line.starts_with(kFileLine)) continue;
    if (std::optional<StoredFile> file = ParseFileLine(line.substr(kFileLine.size()))) {
      listing.files.push_back(std::move(*file));
    }
  }
  if (listing.files.empty()) return;
  const auto root = std::find_if(roots.begin(), roots.end(), [&](const std::string& folder) {
    return listing.files.front().name.starts_with(folder + "/");
  });
  if (root == roots.end()) return;
  const std::string id = entries_->ApplicationOf(row.key.id);
  for (auto& [name, log] : Group(*root, listing, {})) {
    log.head = {id, row.key.attempt, row.name, row.user, spark_version, row.start_ns, row.viewers};
    const bool ended = row.status == ApplicationStatus::kFinished || row.status == ApplicationStatus::kFailed;
    // Otherwise the end has not been read yet.
    if (row.end_ns != log.files.back().modified_ns) {
      log.tail = {ended, row.status == ApplicationStatus::kFailed, row.end_ns};
    }
    log.changed_ns = std::min(log.files.back().modified_ns, EpochNanos());
    log.list = {row.user, row.viewers};
    log.owned_entry = row.key.id;
    const std::lock_guard lock(mutex_);
    names_[id].insert(name);
    logs_[name] = std::move(log);
    Regroup(id);
  }
}

EventLogDirectory::Logs EventLogDirectory::Group(const std::string& root, const StorageListing& listing,
                                                 const Starts& starts) {
  std::unordered_map<std::string_view, const StoredFile*> files;
  std::vector<ListedFile> listed;
  for (const StoredFile& file : listing.files) {
    files[file.name] = &file;
    listed.push_back({file.name, file.size});
  }
  const auto find = [&](std::string_view name) {
    const auto start = starts.find(std::string(name));
    return start == starts.end() ? ApplicationStart() : start->second.start;
  };
  Logs logs;
  for (const Input& input : EventLogsAmong(root, listed, find)) {
    Log log;
    log.root = root;
    for (const InputPart& part : input.parts) log.files.push_back(*files.at(part.path));
    log.in_progress = input.in_progress;
    log.application_id = input.application_id;
    if (log.application_id.empty()) {
      log.application_id = ParseEventLogFileName(FileNameOf(input.path)).application_id;
    }
    logs.emplace(input.path, std::move(log));
  }
  return logs;
}

EventLogDirectory::Starts EventLogDirectory::FindStarts(Storage* storage, const StorageListing& listing,
                                                        const std::atomic<bool>& stop) {
  const std::string& root = storage->Root();
  Starts known, starts;
  {
    const std::lock_guard lock(mutex_);
    known = starts_[root];
  }
  std::vector<const StoredFile*> news;
  for (const StoredFile& file : listing.files) {
    if (IsBesideEventLogs(root, file.name) || !IsApplicationInContent(file.name)) continue;
    const auto found = known.find(file.name);
    if (found != known.end() && found->second.file == file) {
      starts.insert(*found);
    } else {
      news.push_back(&file);
    }
  }
  std::vector<ApplicationStart> read(news.size());
  ForEachInParallel(news.size(), storage->IsRemote() ? kRemoteReaders : 1, [&](size_t row) {
    if (stop) return;
    const std::unique_ptr<ByteSource> source = Decompress(OpenStored(storage, *news[row]), news[row]->name);
    read[row] = ReadApplicationStart(source.get());
  });
  for (size_t row = 0; row < news.size(); ++row) starts[news[row]->name] = {*news[row], std::move(read[row])};
  const std::lock_guard lock(mutex_);
  starts_[root] = starts;
  return starts;
}

void EventLogDirectory::Examine(Storage* storage, const Log* known, Log* log) {
  const int64_t now_ns = EpochNanos();
  int64_t modified_ns = 0;
  for (const StoredFile& file : log->files) modified_ns = std::max(modified_ns, file.modified_ns);
  // The folder's clock may be wrong, so a change seen while running gets this machine's time.
  log->changed_ns = known == nullptr ? std::min(modified_ns, now_ns) : now_ns;
  const StoredFile& first = log->files.front();
  const bool is_continued = known != nullptr && known->head && known->files.front().name == first.name &&
                            known->files.front().size <= first.size;
  if (is_continued) {
    log->head = known->head;
  } else {
    const std::unique_ptr<ByteSource> source = Decompress(OpenStored(storage, first), first.name);
    Result<std::optional<EventLogHead>> head = ReadEventLogHead(source.get(), first.name);
    if (!head) {
      log->problem = head.error().message;
      log->next_try_ns = MonotonicNanos() + kRetryNs;
    }
    if (!head || !*head) return;
    log->head = std::move(**head);
    if (log->head->id.empty()) log->head->id = log->application_id;
  }
  log->tail = TailOf(storage, log->files.back(), kSoonExpanded);
}

bool EventLogDirectory::IsUnchanged(const std::string& name, const Log& log) const {
  const auto known = logs_.find(name);
  if (known == logs_.end() || known->second.files != log.files || known->second.in_progress != log.in_progress) {
    return false;
  }
  return known->second.problem.empty() || MonotonicNanos() < known->second.next_try_ns;
}

void EventLogDirectory::Update(Storage* storage, const StorageListing& listing, const std::atomic<bool>& stop) {
  const std::string& root = storage->Root();
  Logs present = Group(root, listing, FindStarts(storage, listing, stop));
  if (stop) return;
  std::vector<Logs::value_type*> news;
  {
    const std::lock_guard lock(mutex_);
    for (auto& log : present) {
      if (!IsUnchanged(log.first, log.second)) news.push_back(&log);
    }
  }
  // Newest logs first: users open those.
  std::sort(news.begin(), news.end(), [](const auto* a, const auto* b) {
    return a->second.files.back().modified_ns > b->second.files.back().modified_ns;
  });
  ForEachInParallel(news.size(), storage->IsRemote() ? kRemoteReaders : 1, [&](size_t row) {
    if (stop) return;
    const std::string& name = news[row]->first;
    std::optional<Log> known;
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = logs_.find(name); found != logs_.end()) known = found->second;
    }
    Log log = news[row]->second;
    const Result<void> examined = Guarded([&]() -> Result<void> {
      Examine(storage, known ? &*known : nullptr, &log);
      return {};
    });
    if (!examined) {
      log.problem = fmt::format("{}: {}", name, examined.error().message);
      log.next_try_ns = MonotonicNanos() + kRetryNs;
    }
    if (log.head) {
      log.list = ListOfWatched(log.files.front(), {log.head->user, log.head->viewers});
      log.owned_entry =
          entries_->AssignWatched({log.head->id, "log " + name, log.list, !log.files.front().owner.empty()});
    }
    if (!stop) Put(name, std::move(log));
  });
  if (stop) return;
  {
    const std::lock_guard lock(mutex_);
    for (auto log = logs_.begin(); log != logs_.end();) {
      const auto next = std::next(log);
      const bool is_there = present.contains(log->first) || listing.IsInUnlisted(log->first);
      if (log->second.root == root && !is_there) Forget(log);
      log = next;
    }
  }
  // A remote storage would have to transfer the logs completely.
  if (!storage->IsRemote()) ReadTails(storage, stop);
}

void EventLogDirectory::ReadTails(Storage* storage, const std::atomic<bool>& stop) {
  std::vector<std::pair<std::string, StoredFile>> waiting;  // by log name
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, log] : logs_) {
      const bool has_none = log.head && !log.tail && !log.tail_was_read && log.files.back().size <= kMaxExpanded;
      if (has_none && log.root == storage->Root()) waiting.emplace_back(name, log.files.back());
    }
  }
  std::sort(waiting.begin(), waiting.end(),
            [](const auto& a, const auto& b) { return a.second.modified_ns > b.second.modified_ns; });
  const int64_t deadline_ns = MonotonicNanos() + kExpandNsPerScan;
  for (const auto& [name, file] : waiting) {
    if (stop || MonotonicNanos() > deadline_ns) return;
    const std::optional<EventLogTail> tail = TailOf(storage, file, kMaxExpanded);
    const std::lock_guard lock(mutex_);
    Log& log = logs_.at(name);  // safe: only this thread changes logs of this folder
    log.tail = tail;
    log.tail_was_read = true;
    if (tail) changed_.insert(log.entry);
  }
}

void EventLogDirectory::Put(const std::string& name, Log log) {
  const std::lock_guard lock(mutex_);
  if (const auto known = logs_.find(name); known != logs_.end()) Forget(known);
  const bool has_head = log.head.has_value();
  const std::string id = has_head ? log.head->id : std::string();
  logs_[name] = std::move(log);
  if (!has_head) return;
  names_[id].insert(name);
  Regroup(id);
  changed_.insert(logs_[name].entry);
}

void EventLogDirectory::Forget(Logs::iterator log) {
  const std::string entry = log->second.entry;
  const std::string id = log->second.head ? log->second.head->id : std::string();
  if (const auto of_entry = of_entry_.find(entry); of_entry != of_entry_.end()) {
    changed_.insert(entry);
    of_entry->second.erase(log->first);
    if (of_entry->second.empty()) of_entry_.erase(of_entry);
  }
  if (const auto names = names_.find(id); names != names_.end()) {
    names->second.erase(log->first);
    if (names->second.empty()) names_.erase(names);
  }
  logs_.erase(log);
  Regroup(id);
}

void EventLogDirectory::Regroup(const std::string& id) {
  const auto names = names_.find(id);
  if (names == names_.end()) return;
  std::map<std::pair<std::string, std::string>, int64_t> start_of_attempt;  // key: entry and attempt
  for (const std::string& name : names->second) {
    Log& log = logs_.at(name);
    // Logs with the same start are copies; another log with this ID and attempt is a separate application.
    const auto first = start_of_attempt.try_emplace({log.owned_entry, log.head->attempt}, log.head->start_ns).first;
    const std::string claim = fmt::format("separate log {} {}", log.head->attempt, log.head->start_ns);
    const std::string entry =
        first->second == log.head->start_ns
            ? log.owned_entry
            : entries_->AssignWatched({id, claim, log.list, !log.files.front().owner.empty(), /*is_separate=*/true});
    if (entry == log.entry) continue;
    if (const auto before = of_entry_.find(log.entry); before != of_entry_.end()) {
      before->second.erase(name);
      changed_.insert(log.entry);
      if (before->second.empty()) of_entry_.erase(before);
    }
    log.entry = entry;
    of_entry_[entry].insert(name);
    changed_.insert(entry);
  }
}

StoredEventLog EventLogDirectory::Describe(const ChosenLog& chosen) {
  const Log& log = chosen.log->second;
  StoredEventLog stored;
  for (const Logs::value_type* other : chosen.others) stored.others.push_back(other->first);
  stored.files = log.files;
  stored.changed_ns = log.changed_ns;
  EventLogAttempt& attempt = stored.attempt;
  attempt.attempt = log.head->attempt;
  attempt.name = log.head->name;
  attempt.user = log.list.user;
  attempt.spark_version = log.head->spark_version;
  attempt.start_ns = log.head->start_ns;
  attempt.viewers = log.list.viewers;
  for (const StoredFile& file : log.files) attempt.modified_ns = std::max(attempt.modified_ns, file.modified_ns);
  attempt.end_ns = log.tail ? log.tail->end_ns : attempt.modified_ns;
  attempt.in_progress = log.in_progress;
  attempt.completed = log.tail ? log.tail->ended : !log.in_progress;
  attempt.has_failed = log.tail && log.tail->has_failed;
  // A log whose times became more precise has a new version, even if its content is unchanged.
  attempt.version = VersionOf(log.files, log.tail.has_value());
  return stored;
}

// Chooses one log per attempt: the one that Spark closed, else the larger one.
std::vector<EventLogDirectory::ChosenLog> EventLogDirectory::LogsOf(const std::string& application_id) const {
  const auto names = of_entry_.find(application_id);
  if (names == of_entry_.end()) return {};
  std::map<std::string_view, ChosenLog> attempts;
  const auto rank = [](const Log& log) { return std::make_tuple(!log.in_progress, SizeOf(log.files)); };
  for (const std::string& name : names->second) {
    const Logs::value_type* log = &*logs_.find(name);
    ChosenLog& chosen = attempts[log->second.head->attempt];
    if (chosen.log == nullptr || rank(log->second) > rank(chosen.log->second)) std::swap(log, chosen.log);
    if (log != nullptr) chosen.others.push_back(log);
  }
  std::vector<ChosenLog> logs;
  for (auto& [attempt, chosen] : attempts) logs.push_back(std::move(chosen));
  std::stable_sort(logs.begin(), logs.end(), [](const ChosenLog& a, const ChosenLog& b) {
    return a.log->second.head->start_ns < b.log->second.head->start_ns;
  });
  return logs;
}

std::vector<StoredEventLog> EventLogDirectory::Find(const std::string& application_id) const {
  const std::lock_guard lock(mutex_);
  std::vector<StoredEventLog> found;
  for (const ChosenLog& log : LogsOf(application_id)) found.push_back(Describe(log));
  return found;
}

std::vector<EventLogFiles> EventLogDirectory::FindEventLogs(const std::string& application_id) const {
  std::vector<EventLogFiles> logs;
  for (StoredEventLog& stored : Find(application_id)) {
    EventLogFiles& log = logs.emplace_back();
    log.id = application_id;
    log.attempt = stored.attempt.attempt;
    log.version = stored.attempt.version;
    log.in_progress = stored.attempt.in_progress;
    log.modified_ns = stored.attempt.modified_ns;
    log.viewers = stored.attempt.viewers;
    for (const StoredFile& file : stored.files) {
      Result<LocalFile> local = fetched_->Get(file);
      if (!local) {
        log.problem = local.error().message;
        log.paths.clear();
        break;
      }
      log.paths.push_back(std::move(local->path));
      log.in_use.push_back(std::move(local->in_use));
    }
  }
  return logs;
}

std::vector<EventLogListing> EventLogDirectory::ListEventLogs() const {
  const std::lock_guard lock(mutex_);
  std::vector<EventLogListing> listings;
  for (const auto& [id, names] : of_entry_) {
    EventLogListing& listing = listings.emplace_back();
    listing.id = id;
    for (const ChosenLog& log : LogsOf(id)) listing.attempts.push_back(Describe(log).attempt);
  }
  return listings;
}

std::vector<std::string> EventLogDirectory::TakeChanged() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> changed(changed_.begin(), changed_.end());
  changed_.clear();
  return changed;
}

EventLogDirectory::Counts EventLogDirectory::CountOf(const std::string& root) const {
  const std::lock_guard lock(mutex_);
  Counts counts;
  for (const auto& [name, log] : logs_) {
    if (log.root != root) continue;
    counts.logs += log.head ? 1 : 0;
    counts.unreadable += log.problem.empty() ? 0 : 1;
  }
  for (const auto& [id, names] : of_entry_) {
    if (names.size() == 1) continue;
    for (const ChosenLog& log : LogsOf(id)) {
      counts.duplicates += std::count_if(log.others.begin(), log.others.end(),
                                         [&](const auto* other) { return other->second.root == root; });
    }
  }
  return counts;
}

std::vector<std::string> EventLogDirectory::Problems(const std::string& root, size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> problems;
  for (const auto& [name, log] : logs_) {
    if (problems.size() == most) break;
    if (log.root == root && !log.problem.empty()) problems.push_back(log.problem);
  }
  return problems;
}

std::vector<std::string> EventLogDirectory::Duplicates(const std::string& root, size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> duplicates;
  for (const auto& [id, names] : of_entry_) {
    if (names.size() == 1) continue;
    for (const ChosenLog& log : LogsOf(id)) {
      for (const Logs::value_type* other : log.others) {
        if (duplicates.size() == most) return duplicates;
        if (other->second.root != root) continue;
        duplicates.push_back(
            fmt::format("{}: not read: {} has the same application and attempt", other->first, log.log->first));
      }
    }
  }
  return duplicates;
}

}  // namespace sparkprof
