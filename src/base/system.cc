// SPDX-License-Identifier: Apache-2.0
#include "base/system.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/io/file.h"
#include "base/io/private_file.h"

namespace sparkprof {
namespace {

[[noreturn]] void Become(char* const* arguments, const std::function<void()>& prepare, int failure) {
  RestoreUmask();
  prepare();
  execvp(arguments[0], arguments);
  const int reason = errno;
  if (write(failure, &reason, sizeof reason) != sizeof reason) _exit(126);
  _exit(127);
}

}  // namespace

std::string HostName() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

StartedProcess StartProcess(const std::vector<std::string>& command, const std::function<void()>& prepare) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  int ends[2];  // closed by a successful exec
  if (pipe2(ends, O_CLOEXEC) != 0) return {-1, errno};
  const FileDescriptor failure_read(ends[0]);
  FileDescriptor failure_write(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) return {-1, errno};
  if (pid == 0) Become(arguments.data(), prepare, failure_write.Get());
  failure_write.Close();
  int reason = 0;
  ssize_t got = 0;
  do {
    got = read(failure_read.Get(), &reason, sizeof reason);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof reason) return {pid, 0};
  waitpid(pid, nullptr, 0);
  return {-1, reason};
}

int ShellExitCode(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace sparkprof
