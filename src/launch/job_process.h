// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Runs `command` to its end and returns its exit code as a shell does: 128 + the signal that killed it. Standard input
// and output, working directory and process group are shared with it; `environment` is set on top of this process's.
// While it runs, SIGINT, SIGTERM, SIGHUP and SIGQUIT do not end this process: one that was sent to this process alone
// is passed on, one that was sent to the whole process group (Ctrl-C) has reached the command anyway. Afterwards
// SIGTERM and SIGQUIT act again, SIGINT and SIGHUP stay without effect. Call it once, while this process has one
// thread.
//
// Fails when the command cannot be started, with `start_failure` set to what a shell exits with then (127: not found,
// 126).
Result<int> RunJob(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                   int* start_failure);

}  // namespace sparkprof
