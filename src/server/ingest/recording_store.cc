// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/recording_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/time.h"
#include "model/redaction/event_redaction.h"
#include "model/segment/block.h"
#include "recording/recordings.h"
#include "recording/source_grouping.h"
#include "server/folders/collector_files.h"
#include "server/ingest/recording_rewriter.h"
#include "server/ingest/tenant_quotas.h"

namespace sparkprof {
namespace {

// Limits the decoded size of a request with `body_bytes`. A factor of ten is usual, fifty is possible; more would take
// too much of the server's time.
uint64_t MostMessageBytes(uint64_t body_bytes) {
  constexpr uint64_t kMaxExpansion = 100, kMax = uint64_t{2} << 30;
  return kRequestMemory + std::min(kMaxExpansion * body_bytes, kMax);
}

namespace fs = std::filesystem;

// Files whose keys stay in memory. Keys of other files are read again when a block for them arrives.
constexpr size_t kMaxFiles = 20'000;

std::string SourceName(const Source& source, const std::string& process) {
  return fmt::format("{}-{}-{}.sprof", FileNameFor(source.host), source.pid, ProcessHash(process));
}

// The entry for blocks that a sender's processes send before they receive their application ID.
std::string UnidentifiedOf(const Sender& sender) {
  constexpr size_t kSecretDigits = 8;
  return sender.secret.empty() ? kUnidentified : kUnidentified + ("~" + sender.secret.substr(0, kSecretDigits));
}

// The agent redacts Spark's events. Redacts them here if the writer did not.
bool RedactEvents(Segment* segment) {
  bool changed = false;
  int64_t dropped_values = 0;
  EventRedactor redactor;
  for (std::string& event : segment->spark_events) {
    const EventRedaction redaction = redactor.Redact(&event);
    changed = changed || redaction.changed;
    dropped_values += redaction.dropped_values;
  }
  if (dropped_values > 0) segment->spark_events.push_back(DroppedValuesEvent(dropped_values));
  return changed;
}

std::vector<std::string> RelevantEvents(const Segment& segment) {
  std::vector<std::string> events;
  std::copy_if(segment.spark_events.begin(), segment.spark_events.end(), std::back_inserter(events),
               ApplicationEntries::IsRelevant);
  return events;
}

// The relevant events of a recording; empty if it does not exist.
std::vector<std::string> EventsIn(const std::string& path) {
  std::vector<std::string> events;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return events;
  const Result<MappedFile> content = MappedFile::Open(path);
  if (!content) return events;
  (void)ReadBlocks(content->Bytes(), path, [&](Segment&& segment) {
    std::vector<std::string> relevant = RelevantEvents(segment);
    std::move(relevant.begin(), relevant.end(), std::back_inserter(events));
  });
  return events;
}

int64_t ModifiedNanos(const struct stat& info) { return info.st_mtim.tv_sec * kNanosPerSecond + info.st_mtim.tv_nsec; }

// A recording without an end may be rewritten after being idle for this time.
constexpr int64_t kStoreSilenceNs = 3600 * kNanosPerSecond;

}  // namespace

Result<std::unique_ptr<RecordingStore>> RecordingStore::Open(const std::string& folder, OnChange on_change,
                                                             ApplicationEntries* entries) {
  std::unique_ptr<RecordingStore> store(new RecordingStore(folder, std::move(on_change), entries));
  if (Result<void> created = CreateFolders(store->recordings_); !created) return tl::unexpected(created.error());
  const std::string path = folder + "/lock";
  store->lock_ = FileDescriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, SharedFileMode()));
  if (!store->lock_.IsOpen()) return tl::unexpected(SystemError(path, "cannot create"));
  if (flock(store->lock_.Get(), LOCK_EX | LOCK_NB) != 0) {
    return Fail(fmt::format("{}: another server uses this folder; stop it, or choose another one with --data", folder));
  }
  if (Result<void> renamed = store->RenameOldFolders(); !renamed) return tl::unexpected(renamed.error());
  return store;
}

Result<void> RecordingStore::RenameOldFolders() const {
  if (entries_ == nullptr) return {};
  for (const auto& [old, entry] : entries_->OldFolders()) {
    const std::string from = recordings_ + "/" + old;
    std::error_code error;
    if (!fs::exists(from, error) || fs::exists(FolderOf(entry), error)) continue;
    if (rename(from.c_str(), FolderOf(entry).c_str()) != 0) return tl::unexpected(SystemError(from, "cannot rename"));
  }
  return {};
}

Result<void> RecordingStore::CheckFolder() const {
  struct stat held {
  }, there{};
  const bool is_there = stat((folder_ + "/lock").c_str(), &there) == 0;
  if (is_there && fstat(lock_.Get(), &held) == 0 && held.st_dev == there.st_dev && held.st_ino == there.st_ino)
    return {};
  return Fail(
      fmt::format("{}: the folder was deleted or replaced while the server used it; bring it back, or restart "
                  "the server",
                  folder_));
}

std::shared_ptr<RecordingStore::SourceFile> RecordingStore::FileAt(const std::string& path) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<SourceFile>& file = files_[path];
  if (!file) {
    file = std::make_shared<SourceFile>();
    file->path = path;
  }
  file->last_use = ++uses_;
  std::shared_ptr<SourceFile> found = file;
  if (files_.size() > kMaxFiles) {
    // Evicts half of them, so that this happens rarely.
    std::vector<uint64_t> uses;
    for (const auto& [name, known] : files_) uses.push_back(known->last_use);
    std::nth_element(uses.begin(), uses.begin() + static_cast<ptrdiff_t>(uses.size() / 2), uses.end());
    const uint64_t oldest = uses[uses.size() / 2];
    std::erase_if(files_,
                  [&](const auto& entry) { return entry.second->last_use < oldest && entry.second.use_count() == 1; });
  }
  return found;
}

std::string RecordingStore::ApplicationOf(const std::string& secret, const std::string& process) const {
  const std::lock_guard lock(mutex_);
  const auto known = application_of_process_.find(secret + process);
  return known == application_of_process_.end() ? std::string() : known->second;
}

void RecordingStore::NoteApplication(const std::string& secret, const std::string& process,
                                     const std::string& application) {
  const std::lock_guard lock(mutex_);
  // Evicting is safe: blocks without an ID wait in `unidentified` for one that has it.
  if (application_of_process_.size() > kMaxFiles) application_of_process_.clear();
  application_of_process_[secret + process] = application;
}

Result<std::vector<ApplicationEntries::Assigned>> RecordingStore::AssignAll(const std::vector<NamedSource>& sources,
                                                                            const Sender& sender,
                                                                            std::shared_lock<std::shared_mutex>* lock) {
  std::vector<ApplicationEntries::Assigned> all(sources.size());
  std::vector<size_t> moving;
  do {
    moving.clear();
    lock->lock();
    for (size_t row = 0; row < sources.size(); ++row) {
      const NamedSource& source = sources[row];
      if (entries_ == nullptr || source.application.empty()) {
        all[row].entry = source.application.empty() ? UnidentifiedOf(sender) : source.application;
        continue;
      }
      auto assigned = entries_->Assign(source.application, source.process, source.events, sender);
      if (!assigned) return tl::unexpected(assigned.error());
      all[row] = std::move(*assigned);
      if (!all[row].left.empty()) moving.push_back(row);
    }
    if (moving.empty()) break;
    // Unlocks, since others may be writing to the moving recordings. Afterwards, entries of earlier rows may have
    // changed, too.
    lock->unlock();
    const std::unique_lock alone(moving_);
    for (const size_t row : moving) {
      const auto& [entry, left, leaves_all, version] = all[row];
      Result<void> moved = Move(left, entry, leaves_all ? "" : ProcessHash(sources[row].process));
      if (!moved) return tl::unexpected(moved.error());
    }
  } while (true);
  return all;
}

Result<void> RecordingStore::Move(const std::string& from, const std::string& to, const std::string& process_hash) {
  if (!fs::exists(FolderOf(from))) return {};
  Result<std::vector<std::string>> paths = RecordingsBelow(FolderOf(from));
  if (!paths) return tl::unexpected(paths.error());
  const std::string ending = process_hash.empty() ? ".sprof" : "-" + process_hash + ".sprof";
  std::map<std::string, std::string> changed;
  for (const std::string& path : *paths) {
    if (!path.ends_with(ending)) continue;
    const std::shared_ptr<SourceFile> file = FileAt(path);
    const std::shared_ptr<SourceFile> target = FileAt(FolderOf(to) + "/" + fs::path(path).filename().string());
    const std::scoped_lock lock(file->mutex, target->mutex);
    Batch batch{to, {}, 0};
    bool is_whole = false;
    {
      const Result<MappedFile> content = MappedFile::Open(path);
      if (!content) continue;  // moved by another thread
      const Result<RecordingStatus> read = ReadBlocksInPlace(content->Bytes(), path, [&](BlockInPlace&& block) {
        batch.blocks.push_back({block.OwnBlock(), SegmentNumber(block.segment)});
      });
      is_whole = read && read->damaged_blocks + read->skipped_bytes == 0;
    }
    struct stat info {};
    if (keeper_ != nullptr && stat(path.c_str(), &info) == 0) batch.time_ns = ModifiedNanos(info);
    if (Result<void> stored = Append(target.get(), &batch); !stored) return stored;
    // A damaged file stays as evidence.
    if (is_whole) unlink(path.c_str());
    file->is_read = false;
    changed.emplace(path, from);
    changed.emplace(target->path, to);
  }
  std::error_code not_empty;
  fs::remove(FolderOf(from), not_empty);
  on_change_(changed);
  return {};
}

Result<void> RecordingStore::MoveRecordings(const ApplicationEntries::Moved& moved) {
  const std::unique_lock alone(moving_);
  return Move(moved.from, moved.to, moved.process_hash);
}

Result<std::optional<BlockObjectName>> RecordingStore::Keep(const std::vector<ReceivedBlock>& received,
                                                            const std::vector<ApplicationEntries::Assigned>& assigned,
                                                            const Sender& sender) {
  if (Result<void> settled = keeper_->Settle(); !settled) return tl::unexpected(settled.error());
  std::map<std::pair<std::string, uint64_t>, KeptBlocks> by_entry;
  for (size_t row = 0; row < received.size(); ++row) {
    const ReceivedBlock& block = received[row];
    const std::string& entry = assigned[row].entry;
    const std::shared_ptr<SourceFile> file = FileAt(FolderOf(entry) + "/" + SourceName(block.source, block.process));
    {
      // Blocks of this folder are in the keeper already.
      const std::lock_guard lock(file->mutex);
      if (Result<void> read = Refresh(file.get()); !read) return tl::unexpected(read.error());
      if (file->known.Has(block.block.number)) continue;
    }
    KeptBlocks& kept = by_entry[{entry, assigned[row].version}];
    kept.entry = entry;
    kept.version = assigned[row].version;
    kept.sender = sender;
    kept.blocks += block.block.bytes;
  }
  if (by_entry.empty()) return std::nullopt;
  std::vector<KeptBlocks> all;
  for (auto& [entry, kept] : by_entry) all.push_back(std::move(kept));
  return keeper_->Keep(std::move(all));
}

AcceptedBlocks RecordingStore::Accept(std::string_view body, const Sender& sender) {
  return Store(body, sender, nullptr);
}

AcceptedBlocks RecordingStore::Replay(const KeptBlocks& kept, int64_t time_ns) {
  const Kept of_keeper{kept.entry, time_ns};
  return Store(kept.blocks, kept.sender, &of_keeper);
}

AcceptedBlocks RecordingStore::Store(std::string_view body, const Sender& sender, const Kept* kept) {
  AcceptedBlocks accepted;
  std::vector<ReceivedBlock> received;
  std::unordered_map<std::string, std::string> application_of_process;  // named in this request
  const Result<RecordingStatus> status = ReadBlocksInPlace(
      body, "body",
      [&](BlockInPlace&& block) {
        const Source& source = block.segment.source;
        const std::string process = ProcessOf(source);
        if (!source.application_id.empty()) application_of_process[process] = source.application_id;
        ++accepted.blocks;
        accepted.samples += block.segment.samples.size();
        if (RedactEvents(&block.segment)) block.is_exact = false;
        std::string own = block.OwnBlock();
        block.segment.content = ChecksumOf(own);
        received.push_back(
            {process, source, {std::move(own), SegmentNumber(block.segment)}, RelevantEvents(block.segment)});
      },
      {.segment_memory = kRequestMemory, .message_bytes = MostMessageBytes(body.size())});
  std::string problem;
  if (!status) {
    problem = status.error().message;
  } else if (status->damaged_blocks + status->skipped_bytes > 0) {
    problem = status->first_error;
  } else if (status->cut_bytes > 0) {
    problem = fmt::format("body: offset {}: the block is incomplete", body.size() - status->cut_bytes);
  }
  if (!problem.empty()) {
    const bool is_too_large = status && status->too_large_blocks > 0;
    return {.status = is_too_large ? AcceptStatus::kTooLarge : AcceptStatus::kDamaged, .problem = std::move(problem)};
  }
  for (const ReceivedBlock& block : received) {
    if (kept != nullptr) break;  // checked when they arrived
    if (const Result<void> good =
            ApplicationEntries::CheckNames(block.source.application_id, block.process, block.events);
        !good) {
      return {.status = AcceptStatus::kDamaged, .problem = good.error().message};
    }
    if (const Result<void> may = ApplicationEntries::CheckUser(block.source.application_id, block.events, sender);
        !may) {
      return {.status = AcceptStatus::kForbidden, .problem = may.error().message};
    }
  }

  if (const Result<void> there = CheckFolder(); !there) {
    return {.status = AcceptStatus::kUnavailable, .problem = there.error().message};
  }
  std::vector<NamedSource> sources;
  for (ReceivedBlock& block : received) {
    std::string id = block.source.application_id;
    if (id.empty()) {
      const auto named = application_of_process.find(block.process);
      if (named != application_of_process.end()) id = named->second;
    }
    // Without a secret, a sender may name any process, so requests of others prove nothing about its application.
    if (!sender.secret.empty()) {
      if (id.empty()) id = ApplicationOf(sender.secret, block.process);
      if (!id.empty()) {
        NoteApplication(sender.secret, block.process, id);
        std::vector<std::string> earlier =
            EventsIn(FolderOf(UnidentifiedOf(sender)) + "/" + SourceName(block.source, block.process));
        block.events.insert(block.events.begin(), earlier.begin(), earlier.end());
      }
    }
    const std::string named = id.empty() ? kUnidentified : id;
    if (std::find(accepted.applications.begin(), accepted.applications.end(), named) == accepted.applications.end()) {
      accepted.applications.push_back(named);
    }
    sources.push_back({std::move(id), block.process, std::move(block.events)});
  }
  if (kept == nullptr && quotas_ != nullptr) {
    const Result<void> taken = quotas_->Take(sender.tenant, accepted.applications, body.size());
    if (!taken) return {.status = AcceptStatus::kOverQuota, .problem = taken.error().message};
  }
  std::shared_lock storing(moving_, std::defer_lock);
  const bool has_entry = kept != nullptr && entries_->ApplicationOf(kept->entry) != kUnidentified;
  Result<std::vector<ApplicationEntries::Assigned>> assigned =
      std::vector<ApplicationEntries::Assigned>(sources.size());
  if (has_entry) {
    storing.lock();
    for (size_t row = 0; row < sources.size(); ++row) {
      (*assigned)[row].entry = kept->entry;
      entries_->NoteSource(sources[row].application, sources[row].process, sender, kept->entry);
    }
  } else {
    assigned = AssignAll(sources, sender, &storing);
  }
  const auto unavailable = [&](const Error& error) {
    // The keeper reports its own problems and their end.
    if (keeper_ == nullptr) SetProblem(error.message);
    return AcceptedBlocks{.status = AcceptStatus::kUnavailable, .problem = error.message};
  };
  if (!assigned) return unavailable(assigned.error());
  Result<std::optional<BlockObjectName>> object;
  if (keeper_ != nullptr && kept == nullptr) {
    // Recordings may move meanwhile, so the entries are looked up again.
    storing.unlock();
    object = Keep(received, *assigned, sender);
    if (!object) return unavailable(object.error());
    assigned = AssignAll(sources, sender, &storing);
    if (!assigned) {
      if (*object) keeper_->NoteMissing(**object);
      return unavailable(assigned.error());
    }
  }
  std::map<std::string, Batch> batches;                      // by path
  std::set<std::pair<std::string, std::string>> identified;  // entries and process hashes
  for (size_t row = 0; row < received.size(); ++row) {
    ReceivedBlock& block = received[row];
    const std::string& entry = (*assigned)[row].entry;
    Batch& batch = batches[FolderOf(entry) + "/" + SourceName(block.source, block.process)];
    batch.entry = entry;
    batch.time_ns = kept == nullptr ? 0 : kept->time_ns;
    batch.blocks.push_back(std::move(block.block));
    if (!sender.secret.empty() && !sources[row].application.empty()) {
      identified.emplace(entry, ProcessHash(block.process));
    }
  }
  std::map<std::string, std::string> changed;
  for (auto& [path, batch] : batches) {
    const std::shared_ptr<SourceFile> file = FileAt(path);
    const std::lock_guard lock(file->mutex);
    Result<void> stored = Append(file.get(), &batch);
    SetProblem(stored ? "" : stored.error().message);
    if (!stored) {
      accepted.status = AcceptStatus::kUnavailable;
      accepted.problem = stored.error().message;
      break;
    }
    changed.emplace(path, batch.entry);
    for (const Block& block : batch.blocks) {
      accepted.duplicates += block.answer == KnownSegments::Answer::kCopy ? 1 : 0;
      accepted.renumbered += block.answer == KnownSegments::Answer::kOtherContent ? 1 : 0;
    }
  }
  // Reports all files together, so that a listener sees the others with the first one.
  on_change_(changed);
  for (const auto& [path, batch] : batches) {
    if (kept != nullptr || quotas_ == nullptr || !changed.contains(path)) continue;
    if (entries_->ApplicationOf(batch.entry) != kUnidentified) continue;
    size_t bytes = 0;
    for (const Block& block : batch.blocks) {
      if (block.answer != KnownSegments::Answer::kCopy) bytes += block.bytes.size();
    }
    quotas_->NoteUnidentified(sender.tenant, path, bytes);
  }
  for (const auto& [entry, process_hash] : identified) {
    if (accepted.status != AcceptStatus::kStored) break;
    const Result<void> moved = Move(UnidentifiedOf(sender), entry, process_hash);
    if (!moved) accepted = unavailable(moved.error());
  }
  // Kept blocks are acknowledged even if this folder lacks them, provided that their object can be read later.
  if (accepted.status == AcceptStatus::kUnavailable && object && *object) {
    keeper_->NoteMissing(**object);
    accepted.status = AcceptStatus::kStored;
  }
  return accepted;
}

Result<void> RecordingStore::Refresh(SourceFile* file) {
  struct stat info {};
  const bool is_new = stat(file->path.c_str(), &info) != 0;
  if (!is_new && file->is_read && static_cast<uint64_t>(info.st_size) == file->size) return {};
  // The process started, or the end of a block is missing after a crash. That block was not acknowledged.
  file->known.Clear();
  file->size = 0;
  file->is_durable = false;
  if (Result<void> read = is_new ? Result<void>() : ReadKeys(file->path, file, &file->size); !read) return read;
  if (Result<void> read = ReadRewrittenKeys(fs::path(file->path).parent_path(), file); !read) return read;
  file->is_read = true;
  return {};
}

Result<void> RecordingStore::Append(SourceFile* file, Batch* batch) {
  const std::string folder = fs::path(file->path).parent_path();
  struct stat info {};
  const bool is_new = stat(file->path.c_str(), &info) != 0;
  if (Result<void> read = Refresh(file); !read) return read;

  std::string bytes;
  for (Block& block : batch->blocks) {
    block.answer = file->known.Add(block.number);
    if (block.answer != KnownSegments::Answer::kCopy) bytes += block.bytes;
  }
  const bool has_remains = !is_new && static_cast<uint64_t>(info.st_size) > file->size;
  // Data of an earlier process may not be durable yet.
  if (bytes.empty() && !has_remains && (is_new || file->is_durable)) return {};
  FileDescriptor target;
  // Truncates the file: a block that stayed would be a duplicate when it is sent again. If that fails, the next start
  // of the collector repairs the file.
  const auto undo = [&](Error error) {
    file->is_read = false;
    std::error_code not_empty;
    if (target.IsOpen()) (void)!ftruncate(target.Get(), static_cast<off_t>(file->size));
    if (is_new && target.IsOpen()) unlink(file->path.c_str());
    if (is_new) fs::remove(folder, not_empty);
    return tl::unexpected(std::move(error));
  };
  const auto failed = [&](const std::string& what) { return undo(SystemError(file->path, what)); };
  if (is_new && !fs::exists(folder)) {
    if (Result<void> created = CreateFolders(folder); !created) return undo(created.error());
  }
  target = FileDescriptor(open(file->path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, SharedFileMode()));
  if (!target.IsOpen()) return failed("cannot create");
  // Only if necessary: truncating changes the modification time, which would make the catalogue outdated.
  if (has_remains && ftruncate(target.Get(), static_cast<off_t>(file->size)) != 0) return failed("cannot truncate");
  if (lseek(target.Get(), 0, SEEK_END) < 0) return failed("cannot seek");
  if (Result<void> written = WriteAll(target.Get(), bytes, file->path); !written) return undo(written.error());
  // The kernel reports a failed sync only once.
  if (fdatasync(target.Get()) != 0) return failed("cannot sync");
  if (!file->is_durable) {
    if (Result<void> synced = SyncFolder(folder); !synced) return failed("cannot sync");
    if (Result<void> synced = SyncFolder(recordings_); !synced) return failed("cannot sync");
  }
  file->size += bytes.size();
  file->is_durable = true;
  if (batch->time_ns == 0) return {};
  // Ages count from the arrival of the blocks.
  const int64_t before_ns = is_new ? 0 : ModifiedNanos(info);
  const int64_t time_ns = std::max(before_ns, batch->time_ns);
  const timespec time{time_ns / kNanosPerSecond, time_ns % kNanosPerSecond};
  const timespec times[] = {time, time};
  if (futimens(target.Get(), times) != 0) return tl::unexpected(SystemError(file->path, "cannot set the time"));
  return {};
}

// Reads the keys in the file at `path` and the size of its complete blocks.
Result<void> RecordingStore::ReadKeys(const std::string& path, SourceFile* file, uint64_t* size) {
  const Result<MappedFile> content = MappedFile::Open(path);
  if (!content) return tl::unexpected(content.error());
  const Result<RecordingStatus> read =
      ReadBlocks(content->Bytes(), path, [&](Segment&& segment) { file->known.Add(SegmentNumber(segment)); });
  *size = content->Bytes().size();
  if (read) *size -= read->cut_bytes;
  if (!read && content->Bytes().size() < kBlockHeaderSize) *size = 0;
  return {};
}

Result<void> RecordingStore::ReadRewrittenKeys(const std::string& folder, SourceFile* file) {
  const std::shared_lock lock(rewriting_);
  for (const RewrittenFile& rewritten : kRewrittenFiles) {
    const std::string path = RewrittenPath(folder, rewritten.bucket_ns);
    uint64_t size = 0;
    if (!fs::exists(path) || path == file->path) continue;
    if (Result<void> read = ReadKeys(path, file, &size); !read) return read;
  }
  return {};
}

void RecordingStore::Repair(const std::string& path) {
  const std::shared_ptr<SourceFile> file = FileAt(path);
  const std::lock_guard lock(file->mutex);
  Batch nothing;
  if (const Result<void> repaired = Append(file.get(), &nothing); !repaired) SetProblem(repaired.error().message);
}

std::string RecordingStore::FolderOf(const std::string& entry) const { return recordings_ + "/" + FileNameFor(entry); }

// Locks the files in the order of their paths.
std::vector<RecordingStore::LockedFile> RecordingStore::Lock(const std::vector<std::string>& paths) {
  std::vector<LockedFile> locked;
  for (const std::string& path : paths) {
    std::shared_ptr<SourceFile> file = FileAt(path);
    std::unique_lock lock(file->mutex);
    file->is_read = false;
    locked.push_back({std::move(file), std::move(lock)});
  }
  return locked;
}

Result<RewrittenRecording> RecordingStore::Rewrite(const std::string& folder, const std::string& entry,
                                                   int64_t bucket_ns) {
  Result<std::vector<std::string>> paths = RecordingsBelow(folder);
  if (!paths) return tl::unexpected(paths.error());
  // Recordings with wider buckets stay unchanged.
  for (const RewrittenFile& file : kRewrittenFiles) {
    if (file.bucket_ns > bucket_ns) std::erase(*paths, RewrittenPath(folder, file.bucket_ns));
  }
  const std::string target = RewrittenPath(folder, bucket_ns);
  if (paths->empty() || *paths == std::vector{target}) return RewrittenRecording{};
  const std::vector<LockedFile> locked = Lock(*paths);
  const Result<RecordingSurvey> survey = SurveyRecordings(*paths);
  if (!survey) return tl::unexpected(survey.error());
  const bool is_silent = EpochNanos() - survey->modified_ns > kStoreSilenceNs;
  RewrittenRecording rewritten{.damaged = survey->damaged, .is_running = !survey->ended && !is_silent};
  const bool target_is_damaged =
      std::find(survey->damaged.begin(), survey->damaged.end(), target) != survey->damaged.end();
  if (rewritten.is_running || target_is_damaged || survey->whole.empty() || survey->whole == std::vector{target}) {
    return rewritten;
  }
  if (Result<void> done = RewriteRecordings(survey->whole, bucket_ns, survey->modified_ns, target); !done) {
    return tl::unexpected(done.error());
  }
  // From here on each segment exists in the new file, too; readers use it once.
  const std::unique_lock lock(rewriting_);
  on_change_({{target, entry}});
  for (const std::string& path : survey->whole) {
    if (path == target) continue;
    if (unlink(path.c_str()) != 0) return tl::unexpected(SystemError(path, "cannot remove"));
    on_change_({{path, entry}});
  }
  rewritten.files = survey->whole.size();
  rewritten.bytes_before = survey->bytes;
  rewritten.bytes_after = fs::file_size(target);
  if (Result<void> synced = SyncFolder(folder); !synced) return tl::unexpected(synced.error());
  return rewritten;
}

Result<void> RecordingStore::Remove(const std::string& entry) {
  const std::string folder = FolderOf(entry);
  const Result<std::vector<std::string>> paths = RecordingsBelow(folder);
  if (!paths) return tl::unexpected(paths.error());
  const std::vector<LockedFile> locked = Lock(*paths);
  for (const std::string& path : *paths) {
    if (unlink(path.c_str()) != 0) return tl::unexpected(SystemError(path, "cannot remove"));
    on_change_({{path, entry}});
  }
  std::error_code not_empty;  // not empty if a block has just arrived
  fs::remove(folder, not_empty);
  return {};
}

std::string RecordingStore::Problem() const {
  if (const Result<void> there = CheckFolder(); !there) return there.error().message;
  const std::lock_guard lock(mutex_);
  return problem_;
}

void RecordingStore::SetProblem(const std::string& problem) {
  const std::lock_guard lock(mutex_);
  problem_ = problem;
}

}  // namespace sparkprof
