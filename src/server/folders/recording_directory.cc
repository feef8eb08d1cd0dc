// SPDX-License-Identifier: Apache-2.0
#include "server/folders/recording_directory.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/background_task.h"
#include "base/io/file.h"
#include "base/text/text.h"
#include "base/time.h"
#include "model/hash_bytes.h"
#include "model/segment/block.h"
#include "recording/event_log_recording.h"
#include "recording/recordings.h"
#include "recording/source_grouping.h"
#include "server/folders/collector_files.h"

namespace sparkprof {
namespace {

// RecordingStore derives the name from the source's host and PID.
bool IsEventLogFile(const std::string& path) {
  return std::string_view(path).substr(path.rfind('/') + 1).starts_with("event-log-0-");
}

std::optional<StoredFile> StateOfFolder(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return StoredFile{path, info.st_size, info.st_mtim.tv_sec * kNanosPerSecond + info.st_mtim.tv_nsec};
}

}  // namespace

void RecordingDirectory::Restore(const std::string& id, std::string_view location) {
  const std::lock_guard lock(mutex_);
  if (location.find("\n" + std::string(kEventLogLine)) != std::string_view::npos) with_event_log_.insert(id);
  for (const std::string_view line : Split(location, '\n')) {
    const std::optional<StoredFile> known = ParseFileLine(line);
    if (!known) continue;
    File& file = files_[known->name];
    file.size = file.read_bytes = known->size;
    file.modified_ns = file.changed_ns = known->modified_ns;
    file.applications.insert(id);
    paths_[id].insert(known->name);
  }
}

void RecordingDirectory::Note(const std::map<std::string, std::string>& ids) {
  const std::lock_guard lock(mutex_);
  for (const auto& [path, id] : ids) {
    const std::optional<StoredFile> state = StateOfFolder(path);
    if (!state) {
      if (const auto known = files_.find(path); known != files_.end()) Forget(known);
      continue;
    }
    File& file = files_[path];
    file.size = file.read_bytes = state->size;
    file.modified_ns = state->modified_ns;
    file.changed_ns = std::min(file.modified_ns, EpochNanos());
    file.applications = {id};
    paths_[id].insert(path);
    changed_.insert(id);
    if (IsEventLogFile(path)) with_event_log_.insert(id);
  }
}

void RecordingDirectory::Update(const std::string& path) {
  if (const std::optional<StoredFile> state = StateOfFolder(path)) {
    Update(*state);
    return;
  }
  const std::lock_guard lock(mutex_);
  if (const auto known = files_.find(path); known != files_.end()) Forget(known);
}

ApplicationEntries::List ListOfWatched(const StoredFile& file, const ApplicationEntries::List& shown) {
  return file.owner.empty() || file.owner == shown.user ? shown : ApplicationEntries::OnlyFor(file.owner);
}

std::string RecordingDirectory::EntryOf(const StoredFile& file, const std::string& id,
                                        const std::vector<std::string>& events) const {
  if (entries_ == nullptr) return id;
  const std::filesystem::path folder = std::filesystem::path(file.name).parent_path();
  if (!store_.empty() && file.name.starts_with(store_ + "/")) return entries_->EntryOfFolder(folder.filename());
  return entries_->AssignWatched({id, "folder " + folder.string(),
                                  ListOfWatched(file, ApplicationEntries::ListIn(id, events)), !file.owner.empty()});
}

void RecordingDirectory::ReadNew(const StoredFile& state, File* file) {
  const Result<LocalFile> local = fetched_->Get(state);
  const Result<MappedFile> content = local ? MappedFile::Open(local->path) : tl::unexpected(local.error());
  if (!content) {
    file->problem = content.error().message;
    return;  // retried at the next scan
  }
  file->size = state.size;
  file->modified_ns = state.modified_ns;
  const std::string_view bytes = content->Bytes();
  const auto begin = static_cast<size_t>(std::min<int64_t>(file->read_bytes, static_cast<int64_t>(bytes.size())));
  bool unidentified = false;
  if (begin == bytes.size()) return;
  std::optional<Result<OpeningMarks::Mark>> mark;
  if (marks_ != nullptr) mark.emplace(marks_->Begin(state.name, fmt::format("{} {}", state.size, state.modified_ns)));
  if (mark && !*mark) {
    file->problem = mark->error().message;
    file->read_bytes = state.size;  // nothing is left to read or to repair
    return;
  }
  std::map<std::string, std::vector<std::string>> events;  // by application
  const Result<RecordingStatus> read = ReadBlocks(bytes.substr(begin), state.name, [&](Segment&& segment) {
    file->has_event_log = file->has_event_log || IsEventLogSource(segment.source);
    if (segment.source.application_id.empty()) {
      unidentified = true;
    } else {
      std::vector<std::string>& of_application = events[segment.source.application_id];
      for (std::string& event : segment.spark_events) {
        if (entries_ != nullptr && ApplicationEntries::IsRelevant(event)) of_application.push_back(std::move(event));
      }
    }
  });
  for (const auto& [id, of_application] : events) {
    const std::string entry = EntryOf(state, id, of_application);
    // The entry's owner may have become known since.
    if (entries_ != nullptr) {
      std::erase_if(file->applications,
                    [&, id = id](const auto& known) { return entries_->ApplicationOf(known) == id; });
    }
    file->applications.insert(entry);
  }
  if (!read) {
    file->problem = read.error().message;
  } else {
    file->read_bytes = static_cast<int64_t>(bytes.size() - read->cut_bytes);
    if (read->damaged_blocks + read->skipped_bytes > 0) file->problem = read->first_error;
  }
  // Once the application is known, earlier blocks of the JVM belong to it.
  if (file->applications.size() > 1) file->applications.erase(kUnidentified);
  if (unidentified && file->applications.empty()) {
    const bool is_stored = entries_ != nullptr && state.name.starts_with(store_ + "/");
    file->applications.insert(is_stored ? EntryOf(state, kUnidentified, {}) : kUnidentified);
  }
}

void RecordingDirectory::Update(const StoredFile& state) {
  const std::string& name = state.name;
  File file;
  bool is_new = true;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = files_.find(name); known != files_.end()) {
      file = known->second;
      is_new = false;
    }
  }
  if (file.size == state.size && file.modified_ns == state.modified_ns) return;
  if (state.size < file.read_bytes) file.read_bytes = 0;  // the file was rewritten
  // The folder's clock may be wrong, so a change seen while running gets this machine's time.
  const int64_t now_ns = EpochNanos();
  file.changed_ns = is_new ? std::min(state.modified_ns, now_ns) : now_ns;
  file.problem.clear();
  const Result<void> read = Guarded([&]() -> Result<void> {
    ReadNew(state, &file);
    return {};
  });
  // Retried at the next scan.
  if (!read) {
    file.size = -1;
    file.problem = fmt::format("{}: {}", name, read.error().message);
  }
  const std::lock_guard lock(mutex_);
  if (const auto known = files_.find(name); known != files_.end()) {
    for (const std::string& id : known->second.applications) {
      if (file.applications.contains(id)) continue;
      paths_[id].erase(name);
      changed_.insert(id);
    }
  }
  for (const std::string& id : file.applications) {
    paths_[id].insert(name);
    changed_.insert(id);
    if (file.has_event_log) with_event_log_.insert(id);
  }
  files_[name] = std::move(file);
}

void RecordingDirectory::Update(const std::string& root, const StorageListing& listing, const std::atomic<bool>& stop) {
  for (const StoredFile& file : listing.files) {
    if (stop) return;
    if (file.name.ends_with(".sprof")) Update(file);
  }
  const std::string prefix = root + "/";
  const std::lock_guard lock(mutex_);
  for (auto file = files_.lower_bound(prefix); file != files_.end() && file->first.starts_with(prefix);) {
    const auto next = std::next(file);
    // The file may have been added after the listing.
    const bool is_there = listing.MayHave(file->first) || (!IsRemoteName(file->first) && StateOfFolder(file->first));
    if (!is_there) Forget(file);
    file = next;
  }
}

void RecordingDirectory::Forget(Files::iterator file) {
  for (const std::string& id : file->second.applications) {
    changed_.insert(id);
    const auto paths = paths_.find(id);
    if (paths == paths_.end()) continue;
    paths->second.erase(file->first);
    if (!paths->second.empty()) continue;
    paths_.erase(paths);
    with_event_log_.erase(id);
  }
  files_.erase(file);
}

std::optional<RecordedFiles> RecordingDirectory::Find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto paths = paths_.find(id);
  if (paths == paths_.end() || paths->second.empty()) return std::nullopt;
  RecordedFiles files;
  for (const std::string& path : paths->second) {
    const File& file = files_.at(path);
    files.files.push_back({path, file.size, file.modified_ns});
    files.changed_ns = std::max(files.changed_ns, file.changed_ns);
    files.location += FormatFileLine(files.files.back()) + "\n";
  }
  files.has_event_log = with_event_log_.contains(id);
  if (files.has_event_log) files.location += kEventLogLine;
  files.version = fmt::format("{:016x}", HashBytes(files.location));
  return files;
}

std::vector<std::string> RecordingDirectory::TakeChanged() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> changed(changed_.begin(), changed_.end());
  changed_.clear();
  return changed;
}

std::vector<std::string> RecordingDirectory::Applications(const std::string& beginning) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ids;
  for (auto one = paths_.lower_bound(beginning); one != paths_.end() && one->first.starts_with(beginning); ++one) {
    if (!one->second.empty()) ids.push_back(one->first);
  }
  return ids;
}

bool RecordingDirectory::HasEventLogs() const {
  const std::scoped_lock lock(mutex_);
  return !with_event_log_.empty();
}

std::vector<std::string> RecordingDirectory::IncompleteFiles(const std::string& folder) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> paths;
  for (auto file = files_.lower_bound(folder + "/"); file != files_.end() && file->first.starts_with(folder + "/");
       ++file) {
    if (file->second.read_bytes < file->second.size) paths.push_back(file->first);
  }
  return paths;
}

RecordingDirectory::Counts RecordingDirectory::CountBelow(const std::string& root) const {
  const std::string prefix = root.empty() ? root : root + "/";
  const std::lock_guard lock(mutex_);
  Counts counts;
  for (auto file = files_.lower_bound(prefix); file != files_.end() && file->first.starts_with(prefix); ++file) {
    ++counts.files;
    counts.unreadable += file->second.problem.empty() ? 0 : 1;
  }
  return counts;
}

std::vector<std::string> RecordingDirectory::Problems(const std::string& root, size_t most) const {
  const std::string prefix = root + "/";
  const std::lock_guard lock(mutex_);
  std::vector<std::string> problems;
  for (auto file = files_.lower_bound(prefix);
       problems.size() < most && file != files_.end() && file->first.starts_with(prefix); ++file) {
    if (!file->second.problem.empty()) problems.push_back(file->second.problem);
  }
  return problems;
}

}  // namespace sparkprof
