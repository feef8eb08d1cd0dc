// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "suite/suite_results.h"

namespace sparkprof {

// Blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD while it exists, so that JobRun and Monitors can wait for them. Create it
// while the process has a single thread.
class WaitedSignals {
 public:
  WaitedSignals();
  ~WaitedSignals();
  WaitedSignals(const WaitedSignals&) = delete;
  WaitedSignals& operator=(const WaitedSignals&) = delete;

  // Returns the signal that requested the end of this process, 0 = none. Waits up to `nanos`, less if a child ends.
  int Wait(int64_t nanos);
  int Received() const { return received_; }
  const sigset_t& OriginalMask() const { return original_; }

 private:
  sigset_t waited_, original_;
  int received_ = 0;
};

// An argument vector with its environment. Standard input is /dev/null, output goes to `log_path`.
struct Command {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::string log_path;
};

// Starts the command in its own process group. It gets SIGTERM if this process dies. Returns -1 and sets `problem` if
// it cannot be started.
pid_t StartInGroup(const Command& command, const WaitedSignals& signals, std::string* problem);

// Ends the group of `leader`: SIGTERM, then SIGKILL if the leader is running 10 s later. Returns the status of waitpid.
int EndGroup(pid_t leader, WaitedSignals* signals);

// Runs the command to its end, reading its processes every `interval_ns` into the files of JobMonitor in `folder`. Ends
// the command after `timeout_ns` or when a signal arrives. Fails if it cannot be started or the files cannot be
// written.
Result<RepeatResult> RunMeasured(const Command& command, const std::string& folder, int64_t interval_ns,
                                 int64_t timeout_ns, WaitedSignals* signals);

}  // namespace sparkprof
