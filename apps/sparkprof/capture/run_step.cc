// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/system.h"
#include "capture/run.h"

namespace sparkprof {

Result<std::string> RunStep(const RemoteStep& step, bool shows_errors) {
  const std::string what = fmt::format("{}", fmt::join(step.command, " "));
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> printed(std::tmpfile(), std::fclose);
  const FileDescriptor input(open(step.input.empty() ? "/dev/null" : step.input.c_str(), O_RDONLY | O_CLOEXEC));
  const FileDescriptor nothing(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!input.IsOpen()) return tl::unexpected(SystemError(step.input, "cannot read"));
  const std::string part = step.output + ".part";
  Result<FileDescriptor> file = FileDescriptor();
  if (!step.output.empty()) {
    unlink(part.c_str());
    file = CreateNewFile(part, O_WRONLY);
  }
  if (!file) return tl::unexpected(file.error());
  if (!printed) return Fail("cannot create a temporary file");
  const int output = step.output.empty() ? fileno(printed.get()) : file->Get();
  const StartedProcess started = StartProcess(step.command, [&] {
    dup2(input.Get(), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    if (!shows_errors) dup2(nothing.Get(), STDERR_FILENO);
  });
  if (started.pid < 0) return Fail(fmt::format("{}: {}", step.command[0], std::strerror(started.error)));
  int status = 0;
  while (waitpid(started.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (const int code = ShellExitCode(status); code != 0) {
    if (!step.output.empty()) unlink(part.c_str());
    return Fail(fmt::format("exit code {} of {}", code, what));
  }
  if (!step.output.empty() && rename(part.c_str(), step.output.c_str()) != 0)
    return tl::unexpected(SystemError(step.output, "cannot create"));
  std::rewind(printed.get());
  std::string text;
  std::array<char, 4096> bytes;
  for (size_t got = 0; (got = std::fread(bytes.data(), 1, bytes.size(), printed.get())) > 0;)
    text.append(bytes.data(), got);
  return text;
}

}  // namespace sparkprof
