// SPDX-License-Identifier: Apache-2.0
#include "launch/job_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/io/file.h"
#include "base/system.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr auto kPassedOn = std::to_array<int>({SIGINT, SIGTERM, SIGHUP, SIGQUIT});
// Maximum delay until a signal to the process group reaches the witness.
constexpr int kWitnessMillis = 200;
// Older observations of the witness belong to an earlier signal.
constexpr int64_t kTogetherNanos = kNanosPerSecond;

struct Pipe {
  FileDescriptor read, write;

  bool Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read = FileDescriptor(ends[0]);
    write = FileDescriptor(ends[1]);
    return true;
  }
};

// The signals to handle, except those that the caller ignores (nohup ignores SIGHUP).
sigset_t SignalsToPassOn() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kPassedOn) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

// A signal does not show whether it was sent to one process or to the group. The witness is a second process of the
// group: a signal that it also receives was sent to the group.
class Witness {
 public:
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  // `signals` must be blocked.
  explicit Witness(const sigset_t& signals) {
    if (!pipe_.Open()) return;
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) Watch(signals, parent);
    pipe_.write.Close();
  }

  ~Witness() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  // Whether the received signal was sent to the whole group; false without a witness.
  bool Saw(int signal) {
    const int64_t now = MonotonicNanos();
    pollfd wait{pipe_.read.Get(), POLLIN, 0};
    // Concurrent signals reach the witness in any order.
    while (seen_ns_[signal] < now - kTogetherNanos) {
      unsigned char seen = 0;
      if (process_ <= 0 || poll(&wait, 1, kWitnessMillis) != 1 || read(pipe_.read.Get(), &seen, 1) != 1) return false;
      seen_ns_[seen] = MonotonicNanos();
    }
    seen_ns_[signal] = kNever;
    return true;
  }

 private:
  [[noreturn]] void Watch(const sigset_t& signals, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    // Closes everything except its pipe, so that readers of the job's output detect its end.
    const int out = dup2(pipe_.write.Get(), STDIN_FILENO);
    // Calls close_range by number, because glibc 2.17 lacks it. Linux before 5.9 lacks it, too.
    if (syscall(SYS_close_range, STDIN_FILENO + 1, ~0U, 0) != 0) {
      for (long file = STDIN_FILENO + 1; file < sysconf(_SC_OPEN_MAX); ++file) close(static_cast<int>(file));
    }
    for (;;) {
      const int signal = sigwaitinfo(&signals, nullptr);
      if (signal < 0) continue;
      const unsigned char seen = static_cast<unsigned char>(signal);
      if (write(out, &seen, 1) != 1) _exit(0);
    }
  }

  static constexpr int64_t kNever = INT64_MIN;

  Pipe pipe_;
  pid_t process_ = -1;
  std::map<int, int64_t> seen_ns_{{SIGINT, kNever}, {SIGTERM, kNever}, {SIGHUP, kNever}, {SIGQUIT, kNever}};
};

int WaitForEnd(pid_t job, const sigset_t& waited, Witness& witness) {
  for (;;) {
    int status = 0;
    if (waitpid(job, &status, WNOHANG) == job) return ShellExitCode(status);
    siginfo_t info;
    const int signal = sigwaitinfo(&waited, &info);
    if (signal <= 0 || signal == SIGCHLD) continue;
    const bool for_all = witness.Saw(signal) || info.si_code == SI_KERNEL;
    if (!for_all) kill(job, signal);
  }
}

void Discard(const sigset_t& signals) {
  const timespec now{};
  while (sigtimedwait(&signals, nullptr, &now) > 0) {
  }
}

}  // namespace

Result<int> RunJob(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                   int* start_failure) {
  *start_failure = 126;
  const sigset_t signals = SignalsToPassOn();
  sigset_t waited = signals;
  sigaddset(&waited, SIGCHLD);
  signal(SIGCHLD, SIG_DFL);
  sigset_t original_mask;
  sigprocmask(SIG_BLOCK, &waited, &original_mask);
  Witness witness(signals);

  const pid_t own = getpid();
  const StartedProcess job = StartProcess(command, [&] {
    // A scheduler that kills this process means to kill the command.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != own) raise(SIGKILL);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    sigprocmask(SIG_SETMASK, &original_mask, nullptr);
  });
  if (job.pid < 0) {
    *start_failure = job.error == ENOENT ? 127 : 126;
    return Fail(command[0] + ": " + (job.error == ENOENT ? "command not found" : std::strerror(job.error)));
  }
  const int exit_code = WaitForEnd(job.pid, waited, witness);
  Discard(signals);
  sigset_t acting;
  sigemptyset(&acting);
  sigaddset(&acting, SIGTERM);
  sigaddset(&acting, SIGQUIT);
  sigprocmask(SIG_UNBLOCK, &acting, nullptr);
  return exit_code;
}

}  // namespace sparkprof
