// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "inputs/server_options.h"
#include "launch/submit_command.h"

namespace sparkprof {

// Allowance for clock differences between this machine and file systems or collectors.
inline constexpr int64_t kClockDifferenceNs = 600 * kNanosPerSecond;

// A job's recording on a file system of the cluster.
struct RemoteRecording {
  std::string uri;       // folder that contains a folder per application
  std::string run;       // the application's setting `run`
  int64_t since_ns = 0;  // start of the job
  bool remove = false;   // the folder belongs to this run only: removed after copying
};

// Whether the recording at `path` belongs to an application with the setting `run`.
bool IsOfRun(const std::string& path, const std::string& run);

// Copies the recording of the run's application to `target` with Spark's Hadoop client. Skips recordings of other
// applications.
Result<void> FetchRecording(const SubmitRequest& request, const RemoteRecording& remote, const std::string& target);

// Copies the recording of the run's application from its collector into the folder `target`, and returns the URL of its
// page. Requires a token with read access.
Result<std::string> FetchFromServer(const CollectorOptions& options, const RemoteRecording& remote,
                                    const std::string& target);

}  // namespace sparkprof
