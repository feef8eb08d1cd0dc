// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace sparkprof {

// The name of this host from gethostname(2).
std::string HostName();

struct StartedProcess {
  pid_t pid = -1;  // -1 = not started
  int error = 0;   // errno of the failure: ENOENT if the program was not found
};

// Starts `command`, searched in PATH, and waits until it is running. `prepare` runs in the child before exec and must
// be safe after fork() in a process with threads.
StartedProcess StartProcess(const std::vector<std::string>& command, const std::function<void()>& prepare);

// Exit code of waitpid's `status` as in a shell: 128 + the signal that ended the process.
int ShellExitCode(int status);

// Raises the limit of open files and sockets from the soft limit, often 1,024, to the hard limit. For programs with
// thousands of connections; programs that call select() need the soft limit.
void RaiseDescriptorLimit();

}  // namespace sparkprof
