// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace sparkprof {

struct StartedProcess {
  pid_t pid = -1;  // -1: it was not started
  int error = 0;   // errno then: ENOENT when the program was not found
};

// Starts `command`, searched in PATH, and waits until it runs. `prepare` runs in the child before exec; it may do only
// what is safe after fork() in a process with threads.
StartedProcess StartProcess(const std::vector<std::string>& command, const std::function<void()>& prepare);

// The exit code of waitpid's `status` as a shell shows it: 128 + the signal that ended the process.
int ShellExitCode(int status);

}  // namespace sparkprof
