// SPDX-License-Identifier: Apache-2.0
#include "server/folders/application_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

// Maximum number of concurrent requests to another machine.
constexpr size_t kFetches = 8;

}  // namespace

ApplicationFiles FindApplication(const RecordingDirectory& recordings, const EventLogDirectory& event_logs,
                                 const std::string& id) {
  ApplicationFiles files;
  if (std::optional<RecordedFiles> recorded = recordings.Find(id)) {
    files.recordings = std::move(recorded->files);
    files.version = std::move(recorded->version);
    files.location = std::move(recorded->location);
    files.changed_ns = recorded->changed_ns;
  }
  files.event_logs = event_logs.Find(id);
  if (files.event_logs.empty()) return files;
  for (const StoredEventLog& log : files.event_logs) {
    files.version += log.attempt.version;
    for (const std::string& other : log.others) files.version += other;
    files.changed_ns = std::max(files.changed_ns, log.changed_ns);
  }
  files.version = fmt::format("{:016x}", HashBytes(files.version));
  return files;
}

std::string SharedVersion(const ApplicationFiles& files) {
  std::string content;
  for (const StoredFile& file : files.recordings) {
    const std::filesystem::path path(file.name);
    content += fmt::format("{}/{} {}\n", path.parent_path().filename().string(), path.filename().string(), file.size);
  }
  for (const StoredEventLog& log : files.event_logs) {
    content += log.attempt.version;
    for (const std::string& other : log.others) content += other;
  }
  return fmt::format("{:016x}", HashBytes(content));
}

Result<LocalFiles> FetchAll(const ApplicationFiles& files, FetchedFiles* fetched) {
  std::vector<const StoredFile*> all;
  for (const StoredFile& file : files.recordings) all.push_back(&file);
  for (const StoredEventLog& log : files.event_logs) {
    for (const StoredFile& file : log.files) all.push_back(&file);
  }
  std::vector<LocalFile> local(all.size());
  std::mutex mutex;
  std::optional<Error> problem;
  const bool is_remote =
      std::any_of(all.begin(), all.end(), [](const StoredFile* file) { return IsRemoteName(file->name); });
  ForEachInParallel(all.size(), is_remote ? kFetches : 1, [&](size_t row) {
    {
      const std::lock_guard lock(mutex);
      if (problem) return;
    }
    Result<LocalFile> file = fetched->Get(*all[row]);
    if (file) {
      local[row] = std::move(*file);
      return;
    }
    const std::lock_guard lock(mutex);
    problem = file.error();
  });
  if (problem) return tl::unexpected(*problem);
  LocalFiles paths;
  for (size_t row = 0; row < local.size(); ++row) {
    (row < files.recordings.size() ? paths.recordings : paths.event_logs).push_back(std::move(local[row].path));
    if (local[row].in_use) paths.in_use.push_back(std::move(local[row].in_use));
  }
  return paths;
}

}  // namespace sparkprof
