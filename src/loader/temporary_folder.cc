// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/io/file.h"
#include "loader/remote_inputs.h"

namespace sparkprof {
namespace {

// The folder that the signal handler removes. Fixed memory, because the handler may not allocate. Empty = none.
constexpr size_t kLongestPath = 512;
std::array<char, kLongestPath> removed_folder;

// Calls only async-signal-safe functions: a child process removes the folder.
void RemoveAndDie(int signal_number) {
  const pid_t child = removed_folder[0] == '\0' ? -1 : fork();
  if (child == 0) {
    execl("/bin/rm", "rm", "-rf", "--", removed_folder.data(), nullptr);
    _exit(1);
  }
  if (child > 0) waitpid(child, nullptr, 0);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

}  // namespace

Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::Make() {
  const char* const temporary = std::getenv("TMPDIR");
  std::string path =
      fmt::format("{}/sparkprof-XXXXXX", temporary == nullptr || *temporary == '\0' ? "/tmp" : temporary);
  if (path.size() >= kLongestPath) return Fail(path + ": the name of TMPDIR is too long");
  if (mkdtemp(path.data()) == nullptr) return tl::unexpected(SystemError(path, "cannot create"));
  path.copy(removed_folder.data(), kLongestPath - 1);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    if (signal(signal_number, RemoveAndDie) == SIG_IGN) signal(signal_number, SIG_IGN);
  }
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::move(path)));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  removed_folder.fill('\0');
}

}  // namespace sparkprof
