// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Files that `sparkprof run` writes to its output folder, possibly left by an earlier run.
inline constexpr char kRecordingName[] = "recording.sprof";
inline constexpr char kReportName[] = "report.html";
inline constexpr char kFlameGraphName[] = "flame.svg";
inline constexpr char kSummaryName[] = "summary.json";
inline constexpr char kSegmentsName[] = "segments";

// Returns "PARENT/sparkprof-20261121-130351" in local time; appends "-2", "-3" … if it exists.
std::string DefaultOutputFolder(const std::string& parent = ".");

// Creates an empty folder, so that files of earlier runs cannot be mistaken for a new run's. `wanted`: empty = the
// default. Returns the absolute path; fails if it has contents.
Result<std::string> NewOutputFolder(const std::string& wanted);

// Fails if the output would be mixed with other files: the path is a file, or has contents other than those of an
// earlier run.
Result<void> RefuseOtherContents(const std::string& folder);

// Creates the folder with parents and an empty subfolder "segments" for the agents. Fails like RefuseOtherContents, and
// if the folder is not writable. Returns the absolute path; sets `created` if the folder did not exist.
Result<std::string> PrepareOutputFolder(const std::string& folder, bool* created);

// All *.sprof below `folder`, sorted, except those in `before`. Agents create their file before they have data, so some
// may be empty.
std::vector<std::string> FindRecordings(const std::string& folder, const std::set<std::string>& before = {});

// Waits until no agent writes below `folders`: each holds an exclusive flock on its recording while it runs. Ignores
// files in `before`. Returns false if an agent is still writing after `millis`.
bool WaitForAgents(const std::vector<std::string>& folders, const std::set<std::string>& before, int millis);

// Concatenates the recordings and `last_blocks` into `target`: blocks are self-contained, so the result is a recording.
// The file appears completely or not at all.
Result<void> JoinRecordings(const std::vector<std::string>& recordings, const std::string& target,
                            std::string_view last_blocks = {});

}  // namespace sparkprof
