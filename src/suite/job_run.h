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

// Blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD for as long as it lives, so that JobRun and Monitors can wait for them.
// Make it while the process has a single thread.
class WaitedSignals {
 public:
  WaitedSignals();
  ~WaitedSignals();
  WaitedSignals(const WaitedSignals&) = delete;
  WaitedSignals& operator=(const WaitedSignals&) = delete;

  // The signal that asked this process to end, 0 = none. Waits no longer than `nanos`, and returns early when a child
  // ends.
  int Wait(int64_t nanos);
  int Received() const { return received_; }
  const sigset_t& OriginalMask() const { return original_; }

 private:
  sigset_t waited_, original_;
  int received_ = 0;
};

// The command, an argument vector, with standard input from /dev/null and output to `log_path`.
struct Command {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::string log_path;
};

// Starts it in a process group of its own. It gets SIGTERM when this process dies. -1 with `problem` if it cannot
// start.
pid_t StartInGroup(const Command& command, const WaitedSignals& signals, std::string* problem);

// Ends the group of `leader`: SIGTERM, and SIGKILL if the leader lives 10 s later. Returns the status of waitpid.
int EndGroup(pid_t leader, WaitedSignals* signals);

// Runs the command to its end, reading its processes every `interval_ns` into the files of JobMonitor in `folder`. A
// command that takes longer than `timeout_ns`, or that runs when a signal arrives, is ended. Fails if it cannot be
// started, or the files cannot be written.
Result<RepeatResult> RunMeasured(const Command& command, const std::string& folder, int64_t interval_ns,
                                 int64_t timeout_ns, WaitedSignals* signals);

}  // namespace sparkprof
