// SPDX-License-Identifier: Apache-2.0
#include "recording/recording_reader.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/bytes_read.h"
#include "base/file.h"
#include "recording/application_builder.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

Result<RecordingStatus> ReadFileInto(const std::string& path, SourceGrouping* sources) {
  const Result<MappedFile> file = MappedFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  sources->BeginFile();
  size_t counted = 0;
  Result<RecordingStatus> status = ReadBlocksInPlace(file->Bytes(), path, [&](BlockInPlace&& block) {
    const size_t end = block.offset + block.bytes.size();
    CountBytesRead(end - counted);
    counted = end;
    sources->Add(std::move(block.segment));
  });
  if (!status) return status;
  sources->EndFile(status->damaged_blocks + status->skipped_bytes + status->cut_bytes > 0);
  return status;
}

}  // namespace

Result<std::vector<std::string>> RecordingsBelow(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, fs::directory_options::skip_permission_denied, error);
  while (!error && entries != fs::recursive_directory_iterator()) {
    std::error_code no_status;
    if (entries->path().extension() == ".sprof" && entries->is_regular_file(no_status)) {
      files.push_back(entries->path().string());
    }
    entries.increment(error);
  }
  if (error) return Fail(folder + ": cannot list: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

Result<Recording> ReadRecordings(const std::vector<std::string>& paths) {
  if (paths.empty()) return Fail("missing recording; name files or folders");
  Recording recording;
  SourceGrouping sources;
  bool unreadable_file = false;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      const Result<RecordingStatus> status = ReadFileInto(path, &sources);
      if (!status) return tl::unexpected(status.error());
      recording.status += *status;
      continue;
    }
    const Result<std::vector<std::string>> files = RecordingsBelow(path);
    if (!files) return tl::unexpected(files.error());
    if (files->empty()) return Fail(path + ": no .sprof files in this folder");
    for (const std::string& file : *files) {
      const Result<RecordingStatus> status = ReadFileInto(file, &sources);
      if (status) {
        recording.status += *status;
        continue;
      }
      // A JVM killed before its first block must not hide the others.
      unreadable_file = true;
      if (recording.status.first_error.empty()) recording.status.first_error = status.error().message;
    }
  }
  if (recording.status.blocks == 0) {
    const std::string& error = recording.status.first_error;
    return Fail(!error.empty() ? error
                               : paths.front() + ": offset 0: truncated recording: the first block is incomplete");
  }
  for (RecordedApplication& recorded : sources.Take()) {
    recording.applications.push_back(BuildApplication(std::move(recorded)));
    if (unreadable_file) recording.applications.back().complete = false;
  }
  std::stable_sort(recording.applications.begin(), recording.applications.end(),
                   [](const Application& a, const Application& b) { return a.start_ns < b.start_ns; });
  return recording;
}

}  // namespace sparkprof
