// SPDX-License-Identifier: Apache-2.0
#include "suite/job_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <string_view>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/system.h"
#include "base/time.h"
#include "suite/job_monitor.h"

namespace sparkprof {
namespace {

constexpr int64_t kGraceNs = 10 * kNanosPerSecond;
constexpr int64_t kPollNs = 100 * kNanosPerMilli;

double Seconds(int64_t nanos) { return static_cast<double>(nanos) / kNanosPerSecond; }

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// This process's environment with `variables` replaced. Automatic sizes are off, because they would differ between the
// runs that are compared, unless `variables` switch them on.
std::vector<std::string> EnvironmentWith(std::map<std::string, std::string> variables) {
  variables.emplace("SPARKPROF_AUTO", "off");
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view own = *entry;
    if (!variables.contains(std::string(own.substr(0, own.find('='))))) merged.emplace_back(own);
  }
  for (const auto& [name, value] : variables) merged.push_back(name + "=" + value);
  return merged;
}

bool HasEnded(pid_t process) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == process;
}

}  // namespace

WaitedSignals::WaitedSignals() {
  sigemptyset(&waited_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&waited_, signal);
  signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_BLOCK, &waited_, &original_);
}

WaitedSignals::~WaitedSignals() { sigprocmask(SIG_SETMASK, &original_, nullptr); }

int WaitedSignals::Wait(int64_t nanos) {
  const timespec time{nanos / kNanosPerSecond, nanos % kNanosPerSecond};
  const int signal = sigtimedwait(&waited_, nullptr, &time);
  if (signal > 0 && signal != SIGCHLD) received_ = signal;
  return received_;
}

pid_t StartInGroup(const Command& command, const WaitedSignals& signals, std::string* problem) {
  const auto log = CreateNewFile(command.log_path, O_WRONLY | O_APPEND);
  const FileDescriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!log || !nothing.IsOpen()) {
    *problem = log ? "/dev/null: cannot open" : log.error().message;
    return -1;
  }
  const pid_t parent = getpid();
  // Prepared before fork(): the server's threads may hold locks of the C library.
  std::vector<std::string> environment = EnvironmentWith(command.environment);
  std::vector<char*> entries;
  for (std::string& entry : environment) entries.push_back(entry.data());
  entries.push_back(nullptr);
  const StartedProcess started = StartProcess(command.arguments, [&] {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(126);
    setpgid(0, 0);
    dup2(nothing.Get(), STDIN_FILENO);
    dup2(log->Get(), STDOUT_FILENO);
    dup2(log->Get(), STDERR_FILENO);
    environ = entries.data();
    sigprocmask(SIG_SETMASK, &signals.OriginalMask(), nullptr);
  });
  if (started.pid < 0) *problem = fmt::format("{}: {}", command.arguments[0], std::strerror(started.error));
  return started.pid;
}

int EndGroup(pid_t leader, WaitedSignals* signals) {
  kill(-leader, SIGTERM);
  const int64_t end = MonotonicNanos() + kGraceNs;
  int status = 0;
  while (MonotonicNanos() < end) {
    if (waitpid(leader, &status, WNOHANG) == leader) return status;
    signals->Wait(kPollNs);
  }
  kill(-leader, SIGKILL);
  waitpid(leader, &status, 0);
  return status;
}

Result<RepeatResult> RunMeasured(const Command& command, const std::string& folder, int64_t interval_ns,
                                 int64_t timeout_ns, WaitedSignals* signals) {
  RepeatResult result;
  result.start_ns = EpochNanos();
  const int64_t start = MonotonicNanos();
  rusage before, after;
  getrusage(RUSAGE_CHILDREN, &before);
  std::string problem;
  const pid_t job = StartInGroup(command, *signals, &problem);
  if (job < 0) return Fail(problem);
  JobMonitor monitor(job, interval_ns, folder);
  int status = 0;
  for (;;) {
    const bool has_ended = HasEnded(job);
    monitor.Read();  // includes the ended job: the kernel keeps its CPU time until it is reaped
    if (has_ended) {
      waitpid(job, &status, 0);
      break;
    }
    result.timed_out = MonotonicNanos() - start > timeout_ns;
    if (signals->Received() != 0 || result.timed_out) {
      status = EndGroup(job, signals);
      break;
    }
    signals->Wait(std::min(interval_ns, std::max(kPollNs, start + timeout_ns - MonotonicNanos())));
  }
  result.seconds = Seconds(MonotonicNanos() - start);
  getrusage(RUSAGE_CHILDREN, &after);
  result.cpu_seconds =
      Seconds(after.ru_utime) + Seconds(after.ru_stime) - Seconds(before.ru_utime) - Seconds(before.ru_stime);
  result.exit_code = ShellExitCode(status);
  // A job that exits with 0 on SIGTERM did not finish its work.
  if ((result.timed_out || signals->Received() != 0) && result.exit_code == 0) result.exit_code = 128 + SIGTERM;
  if (Result<void> written = monitor.Finish(&result); !written) return tl::unexpected(written.error());
  return result;
}

}  // namespace sparkprof
