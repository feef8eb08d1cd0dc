// SPDX-License-Identifier: Apache-2.0
#include "fleet/engine_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/system.h"
#include "fleet/fleet_rows.h"

namespace sparkprof {

EngineProcess::~EngineProcess() {
  if (pid_ > 0) End();
}

Result<void> EngineProcess::Start() {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0) return tl::unexpected(SystemError(command_.front(), "cannot make a pipe"));
  FileDescriptor child_input(to[0]);
  FileDescriptor input(to[1]);
  if (pipe2(from, O_CLOEXEC) != 0) return tl::unexpected(SystemError(command_.front(), "cannot make a pipe"));
  FileDescriptor output(from[0]);
  FileDescriptor child_output(from[1]);
  const StartedProcess started = StartProcess(command_, [&] {
    dup2(child_input.Get(), STDIN_FILENO);
    dup2(child_output.Get(), STDOUT_FILENO);
  });
  if (started.pid < 0) return Fail(fmt::format("{}: cannot start: {}", command_.front(), std::strerror(started.error)));
  pid_ = started.pid;
  input_ = std::move(input);
  output_ = std::move(output);
  return {};
}

std::string EngineProcess::End() {
  input_.Close();
  output_.Close();
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                             : fmt::format("exit code {}", WEXITSTATUS(status));
}

bool EngineProcess::ReadAnswer(EngineAnswer* answer) {
  std::string& text = answer->lines;
  std::string buffer(size_t{256} << 10, '\0');
  size_t line = 0;  // start of the last line
  while (true) {
    const ssize_t got = read(output_.Get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    text.append(buffer.data(), static_cast<size_t>(got));
    if (text.back() != '\n') continue;
    // The process answers one log at a time, so "done" is at the end of its output.
    line = text.rfind('\n', text.size() - 2);
    line = line == std::string::npos || text.size() < 2 ? 0 : line + 1;
    const std::string_view last = std::string_view(text).substr(line);
    if (!last.starts_with(kDoneTable) || last[kDoneTable.size()] != '\t') continue;
    const Result<FleetLogDone> done = ParseDone(last.substr(kDoneTable.size() + 1));
    if (!done) return false;
    answer->done = *done;
    text.resize(line);
    return true;
  }
}

Result<EngineAnswer> EngineProcess::Read(const FleetLog& log) {
  if (pid_ < 0) {
    if (Result<void> started = Start(); !started) return tl::unexpected(started.error());
  }
  EngineAnswer answer;
  const Result<void> asked = WriteAll(input_.Get(), FormatFleetLog(log) + "\n", "the engine's input");
  if (asked && ReadAnswer(&answer)) return answer;
  const std::string how = End();
  answer = {};
  answer.done.failed = true;
  AppendFleetFailure({log.source, log.id, log.attempt, log.Bytes(), log.ModifiedNs(),
                      fmt::format("{}: the engine broke down: {}", log.source, how)},
                     &answer.lines);
  return answer;
}

}  // namespace sparkprof
