// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/application.h"
#include "model/block.h"

namespace sparkprof {

struct Recording {
  std::vector<Application> applications;  // in order of start
  RecordingStatus status;                 // added up over all files
};

// Reads recordings: files, or folders in which every *.sprof below is read. Segments are grouped by application id and
// attempt; sources that never learned theirs form an application of their own (id "unidentified"). Errors name the
// file.
Result<Recording> ReadRecordings(const std::vector<std::string>& paths);

}  // namespace sparkprof
