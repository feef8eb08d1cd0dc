// SPDX-License-Identifier: Apache-2.0
#include "server/recording_directory.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "base/time.h"
#include "model/block.h"
#include "model/hash_bytes.h"
#include "recording/recording_reader.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

struct FileState {
  int64_t size = 0;
  int64_t modified_ns = 0;
};

std::optional<FileState> StateOf(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return FileState{info.st_size, info.st_mtim.tv_sec * kNanosPerSecond + info.st_mtim.tv_nsec};
}

}  // namespace

void RecordingDirectory::Restore(const std::string& id, std::string_view location) {
  const std::lock_guard lock(mutex_);
  for (const std::string_view line : Split(location, '\n')) {
    // SIZE MODIFIED PATH
    const size_t first = line.find(' ');
    const size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    if (second == std::string_view::npos) continue;
    const std::optional<int64_t> size = ParseInteger(line.substr(0, first));
    const std::optional<int64_t> modified = ParseInteger(line.substr(first + 1, second - first - 1));
    if (!size || !modified) continue;
    const std::string path(line.substr(second + 1));
    File& file = files_[path];
    file.size = file.read_bytes = *size;
    file.modified_ns = *modified;
    file.applications.insert(id);
    paths_[id].insert(path);
  }
}

void RecordingDirectory::Note(const std::string& path, const std::string& id) {
  const std::optional<FileState> state = StateOf(path);
  const std::lock_guard lock(mutex_);
  const auto known = files_.find(path);
  if (!state) {
    if (known != files_.end()) Forget(known);
    return;
  }
  File& file = files_[path];
  file.size = file.read_bytes = state->size;
  file.modified_ns = state->modified_ns;
  file.applications = {id};
  paths_[id].insert(path);
  changed_.insert(id);
}

void RecordingDirectory::Update(const std::string& path) {
  const std::optional<FileState> state = StateOf(path);
  File file;
  {
    const std::lock_guard lock(mutex_);
    const auto known = files_.find(path);
    if (!state) {
      if (known != files_.end()) Forget(known);
      return;
    }
    if (known != files_.end()) file = known->second;
  }
  if (file.size == state->size && file.modified_ns == state->modified_ns) return;
  if (state->size < file.read_bytes) file.read_bytes = 0;  // written anew
  file.size = state->size;
  file.modified_ns = state->modified_ns;
  file.problem.clear();
  if (state->size > file.read_bytes) {
    const Result<MappedFile> content = MappedFile::Open(path);
    if (!content) {
      file.problem = content.error().message;
    } else {
      const std::string_view bytes = content->Bytes();
      const auto begin = static_cast<size_t>(std::min<int64_t>(file.read_bytes, static_cast<int64_t>(bytes.size())));
      bool unidentified = false;
      const Result<RecordingStatus> read = ReadBlocks(bytes.substr(begin), path, [&](Segment&& segment) {
        if (segment.source.application_id.empty()) {
          unidentified = true;
        } else {
          file.applications.insert(segment.source.application_id);
        }
      });
      if (!read) {
        file.problem = read.error().message;
      } else {
        file.read_bytes = static_cast<int64_t>(bytes.size() - read->cut_bytes);
        if (read->damaged_blocks + read->skipped_bytes > 0) file.problem = read->first_error;
      }
      // Once it has an application, what the JVM sent before belongs to it.
      if (file.applications.size() > 1) file.applications.erase(kUnidentified);
      if (unidentified && file.applications.empty()) file.applications.insert(kUnidentified);
    }
  }
  const std::lock_guard lock(mutex_);
  const auto known = files_.find(path);
  if (known != files_.end()) {
    for (const std::string& id : known->second.applications) {
      if (file.applications.contains(id)) continue;
      paths_[id].erase(path);
      changed_.insert(id);
    }
  }
  for (const std::string& id : file.applications) {
    paths_[id].insert(path);
    changed_.insert(id);
  }
  files_[path] = std::move(file);
}

Result<void> RecordingDirectory::Scan(const std::string& folder) {
  const Result<std::vector<std::string>> found = RecordingsBelow(folder);
  if (!found) return tl::unexpected(found.error());
  for (const std::string& path : *found) Update(path);
  const std::string prefix = folder.ends_with('/') ? folder : folder + "/";
  const std::lock_guard lock(mutex_);
  for (auto file = files_.lower_bound(prefix); file != files_.end() && file->first.starts_with(prefix);) {
    const auto next = std::next(file);
    if (!std::binary_search(found->begin(), found->end(), file->first) && !StateOf(file->first)) Forget(file);
    file = next;
  }
  return {};
}

void RecordingDirectory::Forget(std::map<std::string, File>::iterator file) {
  for (const std::string& id : file->second.applications) {
    changed_.insert(id);
    const auto paths = paths_.find(id);
    if (paths == paths_.end()) continue;
    paths->second.erase(file->first);
    if (paths->second.empty()) paths_.erase(paths);
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
    files.paths.push_back(path);
    files.changed_ns = std::max(files.changed_ns, file.modified_ns);
    files.location += fmt::format("{} {} {}\n", file.size, file.modified_ns, path);
  }
  files.version = fmt::format("{:016x}", HashBytes(files.location));
  return files;
}

std::vector<std::string> RecordingDirectory::TakeChanged() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> changed(changed_.begin(), changed_.end());
  changed_.clear();
  return changed;
}

size_t RecordingDirectory::FileCount() const {
  const std::lock_guard lock(mutex_);
  return files_.size();
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

std::vector<std::string> RecordingDirectory::Problems() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> problems;
  for (const auto& [path, file] : files_) {
    if (!file.problem.empty()) problems.push_back(file.problem);
  }
  return problems;
}

}  // namespace sparkprof
