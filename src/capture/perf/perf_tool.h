// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/result.h"

namespace sparkprof {

// A child process with default signals. The destructor kills it if it is running, and reaps it.
class ChildCommand {
 public:
  // Starts `command` (searched in PATH) with standard output and error redirected to the given files; -1 = /dev/null.
  static Result<ChildCommand> Start(const std::vector<std::string>& command, int output, int error);

  ChildCommand(ChildCommand&& other) noexcept;
  ChildCommand& operator=(ChildCommand&&) = delete;
  ~ChildCommand();

  bool IsRunning();
  void Signal(int signal) const;
  // Waits for its end. Returns the exit code, or 128 + signal.
  int Wait();

 private:
  explicit ChildCommand(pid_t pid) : pid_(pid) {}

  pid_t pid_ = -1;  // -1 = has ended
  int exit_code_ = 0;
};

struct PerfRequest {
  int64_t pid = 0;
  std::string event;          // name as in `perf list`; empty = perf's default: cycles, or a timer if unavailable
  int64_t frequency_hz = 99;  // samples per second of CPU time …
  int64_t period = 0;         // … or one sample per this many events
};

// Runs `perf record` on one process, with call stacks by frame pointers, in its own folder, which the destructor
// removes.
class PerfRecording {
 public:
  // Fails if perf is not installed (the error names the package) or exits immediately (the error is its message).
  static Result<PerfRecording> Start(const PerfRequest& request);

  PerfRecording(PerfRecording&&) noexcept = default;
  PerfRecording& operator=(PerfRecording&&) = delete;
  ~PerfRecording();

  // False if perf exited on its own, because the process has ended.
  bool IsRunning() { return record_.IsRunning(); }
  Result<void> Stop();

  // Starts `perf script` on the recording; read its output from `text`. The process must stay alive meanwhile, so that
  // libraries in its namespace can be resolved.
  Result<ChildCommand> Script(FileDescriptor* text);
  // Last lines of perf's error messages.
  std::string Complaints() const;

 private:
  PerfRecording(std::string folder, FileDescriptor errors, ChildCommand record)
      : folder_(std::move(folder)), errors_(std::move(errors)), record_(std::move(record)) {}

  std::string folder_;
  FileDescriptor errors_;
  ChildCommand record_;
};

}  // namespace sparkprof
