// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "recording/application_builder.h"
#include "recording/recorded_segment.h"
#include "recording/recordings.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

struct Files {
  std::vector<std::string> paths;
  std::vector<char> are_named;  // named by the user; otherwise below a folder, where another file may be readable
};

Result<Files> FilesOf(const std::vector<std::string>& paths) {
  Files all;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      all.paths.push_back(path);
      all.are_named.push_back(1);
      continue;
    }
    Result<std::vector<std::string>> files = RecordingsBelow(path);
    if (!files) return tl::unexpected(files.error());
    if (files->empty()) return Fail(path + ": no .sprof files in this folder");
    std::move(files->begin(), files->end(), std::back_inserter(all.paths));
    all.are_named.resize(all.paths.size());
  }
  return all;
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
  const Result<Files> files = FilesOf(paths);
  if (!files) return tl::unexpected(files.error());
  Recording recording;
  SourceGrouping sources;
  bool unreadable_file = false;
  std::optional<Error> problem;
  sources.ReadFiles(files->paths, [&](size_t row, const Result<RecordingStatus>& status) {
    if (status) {
      recording.status += *status;
    } else if (files->are_named[row] != 0) {
      if (!problem) problem = status.error();
    } else {
      // A JVM killed before its first block must not hide the others.
      unreadable_file = true;
      if (recording.status.first_error.empty()) recording.status.first_error = status.error().message;
    }
  });
  if (problem) return tl::unexpected(*problem);
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
