// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/remote_attach.h"
#include "launch/submit_command.h"

namespace sparkprof {

// Runs `command` and returns its exit code as a shell does: 128 + the signal that killed it. The command inherits
// standard input and output, working directory and process group; `environment` overrides variables. Meanwhile SIGINT,
// SIGTERM, SIGHUP and SIGQUIT do not end this process: a signal sent to this process alone is forwarded; a signal sent
// to the process group (Ctrl-C) reaches the command anyway. Afterwards SIGTERM and SIGQUIT are restored; SIGINT and
// SIGHUP stay ignored. If this process is killed by SIGKILL, so is the command. Call once, while this process has a
// single thread.
//
// Fails if the command cannot be started, with `start_failure` set to a shell's exit code (127: not found, 126).
Result<int> RunJob(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                   int* start_failure);

bool HasDriverPod(const SubmitRequest& request);

// Step that prints how the driver's pod of this application ended: "OOMKilled, exit code 137". Prints nothing if the
// pod is gone.
RemoteStep PrintDriverPodExit(const SubmitRequest& request, const std::string& application);

// Explains why a job left no recording: one sentence per reason found.
std::string ExplainNoRecording(const SubmitRequest& request, Launcher launcher, int exit_code);

}  // namespace sparkprof
