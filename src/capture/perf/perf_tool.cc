// SPDX-License-Identifier: Apache-2.0
#include "capture/perf/perf_tool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/system.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

// perf takes some time to open its events; if not permitted, it fails within this time.
constexpr int kStartMillis = 300;
constexpr size_t kMaxComplaints = 600;
constexpr char kData[] = "/perf.data";
constexpr char kErrors[] = "/errors";

// Sets up the child between fork and exec.
void Prepare(int output, int error) {
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDIN_FILENO);
  dup2(output < 0 ? nowhere : output, STDOUT_FILENO);
  dup2(error < 0 ? nowhere : error, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // Ctrl-C must not reach perf: this process stops it.
  setpgid(0, 0);
}

}  // namespace

Result<ChildCommand> ChildCommand::Start(const std::vector<std::string>& command, int output, int error) {
  const StartedProcess started = StartProcess(command, [&] { Prepare(output, error); });
  if (started.pid > 0) return ChildCommand(started.pid);
  errno = started.error;
  return tl::unexpected(SystemError(command[0], "cannot start"));
}

ChildCommand::ChildCommand(ChildCommand&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), exit_code_(other.exit_code_) {}

ChildCommand::~ChildCommand() {
  if (pid_ <= 0) return;
  Signal(SIGKILL);
  Wait();
}

bool ChildCommand::IsRunning() {
  int status = 0;
  if (pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_) {
    exit_code_ = ShellExitCode(status);
    pid_ = -1;
  }
  return pid_ > 0;
}

void ChildCommand::Signal(int signal) const {
  if (pid_ > 0) kill(pid_, signal);
}

int ChildCommand::Wait() {
  int status = 0;
  while (pid_ > 0) {
    if (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    exit_code_ = ShellExitCode(status);
    pid_ = -1;
  }
  return exit_code_;
}

Result<PerfRecording> PerfRecording::Start(const PerfRequest& request) {
  std::string folder = "/tmp/sparkprof-perf-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return tl::unexpected(SystemError(folder, "cannot create the folder"));
  FileDescriptor errors(open((folder + kErrors).c_str(), O_CREAT | O_EXCL | O_RDWR | O_APPEND | O_CLOEXEC, 0600));
  std::vector<std::string> command{"perf", "record", "-g", "-p", std::to_string(request.pid), "-o", folder + kData};
  if (!request.event.empty()) command.insert(command.end(), {"-e", request.event});
  if (request.period > 0) {
    command.insert(command.end(), {"-c", std::to_string(request.period)});
  } else {
    command.insert(command.end(), {"-F", std::to_string(request.frequency_hz)});
  }
  Result<ChildCommand> child = ChildCommand::Start(command, -1, errors.Get());
  if (!child) {
    rmdir(folder.c_str());
    return Fail(child.error().message +
                "; install perf (Debian: linux-perf, Red Hat: perf), or omit --perf to use async-profiler");
  }
  PerfRecording recording(std::move(folder), std::move(errors), std::move(*child));
  poll(nullptr, 0, kStartMillis);
  if (!recording.IsRunning()) return Fail("perf record failed: " + recording.Complaints());
  return recording;
}

PerfRecording::~PerfRecording() {
  if (folder_.empty()) return;
  if (record_.IsRunning()) (void)Stop();
  for (const char* name : {kData, kErrors}) unlink((folder_ + name).c_str());
  unlink((folder_ + kData + ".old").c_str());
  rmdir(folder_.c_str());
}

Result<void> PerfRecording::Stop() {
  record_.Signal(SIGINT);
  record_.Wait();
  if (access((folder_ + kData).c_str(), R_OK) != 0) return Fail("perf record wrote nothing: " + Complaints());
  return {};
}

Result<ChildCommand> PerfRecording::Script(FileDescriptor* text) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(SystemError("perf script", "cannot start"));
  *text = FileDescriptor(ends[0]);
  const FileDescriptor output(ends[1]);
  // Without --force, perf ignores symbol files written by a JVM of another user.
  return ChildCommand::Start({"perf", "script", "--force", "-i", folder_ + kData}, output.Get(), errors_.Get());
}

std::string PerfRecording::Complaints() const {
  const Result<std::string> text = ReadFile(folder_ + kErrors);
  std::string words;
  for (const std::string_view line : Split(text.value_or(""), '\n')) {
    const std::string_view trimmed = Trim(line);
    if (!trimmed.empty()) words += (words.empty() ? "" : " ") + std::string(trimmed);
  }
  return ToUtf8(words.substr(0, kMaxComplaints));
}

}  // namespace sparkprof
