// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// What `sparkprof run` may find in its output folder from an earlier run, and leaves there.
inline constexpr char kRecordingName[] = "recording.sprof";
inline constexpr char kReportName[] = "report.html";
inline constexpr char kFlameGraphName[] = "flame.svg";
inline constexpr char kSummaryName[] = "summary.json";
inline constexpr char kSegmentsName[] = "segments";

// "./sparkprof-20261121-130351" in local time; with "-2", "-3" … when that exists.
std::string DefaultOutputFolder();

// Makes the folder, parents included, with an empty folder "segments" in it for the agents. A folder that holds
// anything but what an earlier run left is refused. Returns its absolute path; `created` says whether it was not there
// before.
Result<std::string> PrepareOutputFolder(const std::string& folder, bool* created);

// All *.sprof below `folder`, sorted, but those in `before`. An agent makes its file before it has anything to write,
// so that some may be empty.
std::vector<std::string> FindRecordings(const std::string& folder, const std::set<std::string>& before = {});

// Waits until no agent writes below `folders` any more: each holds an exclusive flock on its recording while it lives.
// Files in `before` are left out. False when an agent still writes after `millis`.
bool WaitForAgents(const std::vector<std::string>& folders, const std::set<std::string>& before, int millis);

// Writes the recordings one behind the other into `target`: blocks stand alone, so that the whole is a recording too.
// The file appears whole or not at all.
Result<void> JoinRecordings(const std::vector<std::string>& recordings, const std::string& target);

}  // namespace sparkprof
