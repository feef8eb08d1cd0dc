// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "launch/submit_command.h"

namespace sparkprof {

// The recording of a job on a file system of the cluster.
struct RemoteRecording {
  std::string uri;       // the folder with a folder for each application
  std::string run;       // the setting `run` of the application
  int64_t since_ns = 0;  // when the job was started
  bool remove = false;   // the folder is this run's alone: removed once it is copied
};

// Whether the recording at `path` is of an application with the setting `run`.
bool IsOfRun(const std::string& path, const std::string& run);

// Copies the recording of the run's application to `target`, through Spark's own Hadoop client. Other applications'
// recordings there are left out.
Result<void> FetchRecording(const SubmitRequest& request, const RemoteRecording& remote, const std::string& target);

}  // namespace sparkprof
