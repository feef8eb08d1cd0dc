// SPDX-License-Identifier: Apache-2.0
#include "suite_watcher.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sparkprof {
namespace {

constexpr char kFinished = 1;

// Reads the run's ID, then kFinished; the pipe ends with the other process.
void WatchRun(int from_suite, const std::function<void(int64_t run)>& interrupted) {
  int64_t run = 0;
  char finished = 0;
  if (read(from_suite, &run, sizeof run) != sizeof run) return;
  if (read(from_suite, &finished, 1) != 1) interrupted(run);
}

}  // namespace

SuiteWatcher::SuiteWatcher(const std::function<void(int64_t run)>& interrupted) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  FileDescriptor from_suite(ends[0]);
  to_watcher_ = FileDescriptor(ends[1]);
  process_ = fork();
  if (process_ != 0) return;
  to_watcher_ = FileDescriptor();
  WatchRun(from_suite.Get(), interrupted);
  _exit(0);
}

SuiteWatcher::~SuiteWatcher() {
  to_watcher_ = FileDescriptor();
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

// Ignores errors: the watcher may have exited.
void SuiteWatcher::Send(const void* bytes, size_t size) {
  [[maybe_unused]] const ssize_t sent = write(to_watcher_.Get(), bytes, size);
}

// Smaller than a pipe's buffer, so it is written completely.
void SuiteWatcher::Watch(int64_t run) {
  if (process_ > 0) Send(&run, sizeof run);
}

void SuiteWatcher::Finish() {
  if (process_ > 0) Send(&kFinished, 1);
}

}  // namespace sparkprof
