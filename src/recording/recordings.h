// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/application.h"
#include "model/segment/block.h"

namespace sparkprof {

struct Recording {
  std::vector<Application> applications;  // in order of start
  RecordingStatus status;                 // sum over all files
};

// All *.sprof files below `folder`, sorted so that results do not depend on the file system. Skips unreadable
// subfolders; fails if `folder` itself cannot be listed.
Result<std::vector<std::string>> RecordingsBelow(const std::string& folder);

// Reads recordings: files, or folders with all *.sprof files below. Groups segments by application ID and attempt;
// sources that never learned their ID form an application of their own ("unidentified"). Errors name the file.
Result<Recording> ReadRecordings(const std::vector<std::string>& paths);

// Writes an application as blocks of a recording (model/segment/block.h), with one source per executor. Reading the
// blocks results in the same jobs, stages, tasks, executors, SQL executions, samples, series, notices and losses.
// Passes each block to `sink`.
void WriteRecording(const Application& application, const std::function<void(std::string_view block)>& sink);

// For recordings of a finished job: returns a block for each driver that did not write its last segment, for example
// because it was killed. The block contains the notice of driver_end.h with the result of `reason_of`. Without it,
// readers cannot distinguish such a driver from a running one. Skips unreadable files: reading the recording reports
// them.
std::string EndsOfDrivers(const std::vector<std::string>& paths,
                          const std::function<std::string(const std::string& application)>& reason_of);

}  // namespace sparkprof
