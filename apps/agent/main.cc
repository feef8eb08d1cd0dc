// SPDX-License-Identifier: Apache-2.0
// sparkprof-agent: one process per Spark JVM, started by the plugin (docs/agent-protocol.md). It uses no network and
// writes only frames to standard output.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "agent.h"
#include "base/time.h"
#include "capture/proc.h"
#include "intervals.h"
#include "watchdog.h"

namespace sparkprof {
namespace {

constexpr int kInputBytes = 1 << 20;

volatile sig_atomic_t asked_to_flush = 0;

void OnTerminate(int) { asked_to_flush = 1; }

void PrepareSignals() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // beyond ulimit -f a write fails, as on a full disk
  struct sigaction action {};
  action.sa_handler = OnTerminate;  // without SA_RESTART, so that poll returns immediately
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

// Detects the end of a process, with a pidfd (Linux 5.3 and later) or by polling every second.
class ProcessWatch {
 public:
  void Watch(int64_t pid) {
    if (pid == pid_) return;
    pid_ = pid;
    const auto stat = ReadProcessStat(pid);
    start_ticks_ = stat ? stat->start_ticks : 0;
    constexpr long kPidfdOpen = 434;  // same on all architectures; missing in some C library headers
    descriptor_ = FileDescriptor(static_cast<int>(syscall(kPidfdOpen, pid, 0)));
    WatchProcess(pid);
  }

  // Readable when the process has exited; -1 if the kernel has no pidfd.
  int Descriptor() const { return descriptor_.Get(); }

  // Polls /proc at most once a second. Only needed without the pidfd.
  bool Ended(int64_t now_ns) {
    if (descriptor_.IsOpen() || now_ns < next_look_ns_) return false;
    next_look_ns_ = now_ns + kNanosPerSecond;
    const auto stat = ReadProcessStat(pid_);
    // Reading fails even for a running process if no file descriptor is free.
    if (!stat) return kill(static_cast<pid_t>(pid_), 0) != 0 && errno == ESRCH;
    return stat->start_ticks != start_ticks_ || stat->state == 'Z';
  }

 private:
  int64_t pid_ = 0;
  int64_t start_ticks_ = 0;
  int64_t next_look_ns_ = 0;
  FileDescriptor descriptor_;
};

// kMore: the pipe may be full and the plugin blocked (a full pipe may contain less than the buffer size, because its
// pages are not full); kSome: less data; kEmpty: no data now; kEnded: end of file.
enum class InputState { kMore, kSome, kEmpty, kEnded };

// Reads standard input, at most one buffer.
InputState ReadInput(PipeReader* reader, Agent* agent) {
  static char buffer[1 << 16];
  const ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
  if (got < 0) return errno == EINTR ? InputState::kSome : errno == EAGAIN ? InputState::kEmpty : InputState::kEnded;
  if (got == 0) return InputState::kEnded;
  reader->Append({buffer, static_cast<size_t>(got)});
  for (;;) {
    const auto frame = reader->Next();
    if (!frame) return InputState::kEnded;
    if (!*frame) return static_cast<size_t>(got) >= sizeof buffer / 2 ? InputState::kMore : InputState::kSome;
    agent->OnFrame(**frame);
  }
}

void WriteLastFrames(PluginPipe* plugin) {
  const int64_t end_ns = MonotonicNanos() + kLastWriteNs;
  while (plugin->HasPending() && MonotonicNanos() < end_ns) {
    pollfd output{STDOUT_FILENO, POLLOUT, 0};
    poll(&output, 1, 50);
    plugin->Write();
  }
}

// The plugin's frames contain secrets: no core file is written, nor (at a limit of 1) piped to a program.
void ForbidCoreFiles() {
  constexpr rlimit kNone = {1, 1};
  setrlimit(RLIMIT_CORE, &kNone);
}

int Run() {
  ForbidCoreFiles();
  PrepareSignals();
  StartWatchdog();
  fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
  // Buffers the plugin's data while the agent gets no CPU time. If the system refuses, the plugin blocks earlier.
  fcntl(STDIN_FILENO, F_SETPIPE_SZ, kInputBytes);
  PluginPipe plugin(STDOUT_FILENO);
  auto jfr = JfrTail::Create();
  if (!jfr) {
    plugin.Log(NoticeLevel::kError, jfr.error().message);
    return 1;
  }
  PipeReader reader;
  Agent agent(std::move(*jfr), &plugin);
  ProcessWatch jvm;
  int64_t next_read_ns = 0;
  for (;;) {
    FeedWatchdog();
    jvm.Watch(agent.JvmPid());
    const int64_t now_ns = MonotonicNanos();
    int64_t next_ns = std::min(agent.OnTime(now_ns), now_ns + kNanosPerSecond);
    const bool may_read = now_ns >= next_read_ns;
    if (!may_read) next_ns = std::min(next_ns, next_read_ns);
    const auto wait_ms = static_cast<int>(std::max<int64_t>(0, next_ns - MonotonicNanos()) / kNanosPerMilli + 1);
    pollfd waiting[] = {{may_read ? STDIN_FILENO : -1, POLLIN, 0},
                        {jvm.Descriptor(), POLLIN, 0},
                        {plugin.HasPending() ? STDOUT_FILENO : -1, POLLOUT, 0}};
    poll(waiting, 3, wait_ms);
    if (asked_to_flush) {
      asked_to_flush = 0;
      agent.Flush();
    }
    plugin.Write();
    if (waiting[0].revents != 0) {
      const InputState state = ReadInput(&reader, &agent);
      if (state == InputState::kEnded) break;
      if (state == InputState::kSome) next_read_ns = MonotonicNanos() + kReadPauseNs;
    }
    // The pipe may outlive the JVM in a child that inherited it.
    if (waiting[1].revents != 0 || jvm.Ended(now_ns)) break;
  }
  SetDeadline(kEndDeadlineNs);
  for (InputState state = InputState::kMore; state == InputState::kMore || state == InputState::kSome;) {
    state = ReadInput(&reader, &agent);
  }
  agent.Finish();
  WriteLastFrames(&plugin);
  return 0;
}

}  // namespace
}  // namespace sparkprof

int main() {
  setsid();
  return sparkprof::Run();
}
