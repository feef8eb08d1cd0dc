// SPDX-License-Identifier: Apache-2.0
#include "suite/job_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/private_file.h"
#include "base/start_process.h"
#include "base/time.h"
#include "capture/process_tree.h"

namespace sparkprof {
namespace {

constexpr int64_t kGraceNs = 10 * kNanosPerSecond;
// Of rows of one run; later rows are dropped and counted.
constexpr size_t kMaxRowBytes = size_t{64} << 20;
constexpr int64_t kPollNs = 100 * kNanosPerMilli;

double Seconds(int64_t nanos) { return static_cast<double>(nanos) / kNanosPerSecond; }

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// A job's own type: its role for Spark, or else the kind of its program.
std::string TypeOf(const ProcessReading& process) {
  if (process.role != ProcessRole::kOther) return std::string(ProcessRoleName(process.role));
  const std::string program = std::filesystem::path(process.command.substr(0, process.command.find(' '))).filename();
  if (program == "java") return std::string(ProcessRoleName(ProcessRole::kJvm));
  if (program.starts_with("python")) return std::string(ProcessRoleName(ProcessRole::kPythonDriver));
  return std::string(ProcessRoleName(ProcessRole::kOther));
}

std::string HostName() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// Maxima of the processes below this one.
class Measuring {
 public:
  Measuring() : tree_(getpid(), 0) {}

  void Read() {
    const int64_t now = MonotonicNanos();
    const int64_t time_ns = EpochNanos();
    int64_t rss = 0;
    std::map<int64_t, int64_t> cpu;  // by PID
    for (const ProcessReading& process : tree_.Scan()) {
      if (process.pid == getpid()) continue;
      const std::string type = TypeOf(process);
      TypeMaxima& most = maxima_[type];
      double percent = 0;
      rss += process.rss_bytes;
      cpu[process.pid] = process.cpu_ns;
      most.max_rss_bytes = std::max(most.max_rss_bytes, process.rss_bytes);
      const auto before = cpu_ns_.find(process.pid);
      types_[{process.pid, process.start_ticks}] = type;
      if (before != cpu_ns_.end() && now > read_ns_) {
        percent = 100.0 * static_cast<double>(process.cpu_ns - before->second) / static_cast<double>(now - read_ns_);
        most.max_cpu_percent = std::max(most.max_cpu_percent, percent);
      }
      AddRow(process, type, percent, time_ns);
    }
    max_rss_bytes_ = std::max(max_rss_bytes_, rss);
    cpu_ns_ = std::move(cpu);
    read_ns_ = now;
  }

  void Store(RepeatResult* result) const {
    result->maxima = maxima_;
    for (const auto& [process, type] : types_) ++result->maxima[type].processes;
    result->max_rss_bytes = max_rss_bytes_;
    result->missed = tree_.Ignored();
    result->dropped_rows = dropped_rows_;
  }

  const std::string& Rows() const { return rows_; }

 private:
  void AddRow(const ProcessReading& process, const std::string& type, double percent, int64_t time_ns) {
    if (rows_.size() > kMaxRowBytes) {
      ++dropped_rows_;
      return;
    }
    JsonWriter row;
    row.BeginObject().Member("timeStamp", time_ns / kNanosPerMilli).Member("monitor", host_);
    row.Member("pid", process.pid).Member("ppid", process.parent_pid).Member("type", type);
    row.Member("cpuPercent", percent).Member("cpuSeconds", Seconds(process.cpu_ns));
    row.Member("rssBytes", process.rss_bytes).Member("threads", process.threads);
    if (process.has_io) row.Member("readBytes", process.read_bytes).Member("writeBytes", process.write_bytes);
    row.Member("command", process.command).EndObject();
    rows_ += row.Text() + "\n";
  }

  const std::string host_ = HostName();
  std::string rows_;
  int64_t dropped_rows_ = 0;
  ProcessTree tree_;
  std::map<std::string, TypeMaxima> maxima_;
  std::map<std::pair<int64_t, int64_t>, std::string> types_;  // the last one, by PID and start
  std::map<int64_t, int64_t> cpu_ns_;
  int64_t max_rss_bytes_ = 0;
  int64_t read_ns_ = 0;
};

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
  const StartedProcess started = StartProcess(command.arguments, [&] {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(126);
    setpgid(0, 0);
    dup2(nothing.Get(), STDIN_FILENO);
    dup2(log->Get(), STDOUT_FILENO);
    dup2(log->Get(), STDERR_FILENO);
    for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
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

Result<RepeatResult> RunMeasured(const Command& command, int64_t interval_ns, int64_t timeout_ns,
                                 WaitedSignals* signals) {
  RepeatResult result;
  result.start_ns = EpochNanos();
  const int64_t start = MonotonicNanos();
  rusage before, after;
  getrusage(RUSAGE_CHILDREN, &before);
  std::string problem;
  const pid_t job = StartInGroup(command, *signals, &problem);
  if (job < 0) return Fail(problem);
  Measuring measuring;
  int status = 0;
  for (;;) {
    measuring.Read();
    if (waitpid(job, &status, WNOHANG) == job) break;
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
  // A job that ends itself with 0 on SIGTERM did not finish its work.
  if ((result.timed_out || signals->Received() != 0) && result.exit_code == 0) result.exit_code = 128 + SIGTERM;
  measuring.Store(&result);
  if (Result<void> written = WriteFile(command.rows_path, measuring.Rows()); !written)
    return tl::unexpected(written.error());
  return result;
}

}  // namespace sparkprof
