// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "inputs/event_log_files.h"

namespace sparkprof {

// A file of a folder on any storage, with its full name.
struct ListedFile {
  std::string_view name;
  int64_t size = 0;
};

// Whether Spark, Hadoop or sparkprof keep such a file beside event logs: hidden files and folders, markers, checksums,
// recordings, Parquet. `name` is `root` plus the path below it.
bool IsBesideEventLogs(std::string_view root, std::string_view name);

// Finds the application that a file starts. Called for files whose name does not show it (IsApplicationInContent).
using FindStartOfFile = std::function<ApplicationStart(std::string_view name)>;

// Finds the event logs among the files of a folder. Their parts contain only file names; the caller opens them. A
// rolled log is one input; its status file shows whether it is in progress.
std::vector<Input> EventLogsAmong(std::string_view root, const std::vector<ListedFile>& files,
                                  const FindStartOfFile& find);

}  // namespace sparkprof
