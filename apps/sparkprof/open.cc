// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/system.h"
#include "base/text/text.h"
#include "capture/recording_options.h"
#include "output/report_files.h"
#include "verb.h"

namespace sparkprof {
namespace {

std::string_view Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Commands that open a file in a browser, in order of preference: those in BROWSER, separated by colons, then the
// desktop's. None on a machine without a display.
std::vector<std::string> Browsers() {
  std::vector<std::string> browsers;
  for (const std::string_view browser : Split(Variable("BROWSER"), ':')) {
    if (!Trim(browser).empty()) browsers.emplace_back(Trim(browser));
  }
  if (!Variable("DISPLAY").empty() || !Variable("WAYLAND_DISPLAY").empty()) browsers.emplace_back("xdg-open");
  return browsers;
}

// Replaces %s by the path in "firefox --new-window %s", or appends the path.
std::vector<std::string> CommandOf(const std::string& browser, const std::string& path) {
  std::vector<std::string> command;
  bool has_path = false;
  for (const std::string_view word : Split(browser, ' ')) {
    if (word.empty()) continue;
    has_path |= word == "%s";
    command.emplace_back(word == "%s" ? std::string_view(path) : word);
  }
  if (!has_path) command.push_back(path);
  return command;
}

// Starts it in a new session, so that it survives closing the terminal, and discards its messages.
bool Start(const std::vector<std::string>& command) {
  const StartedProcess started = StartProcess(command, [] {
    setsid();
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
  });
  return started.pid > 0;
}

int RunOpen(bool only_prints) {
  const Result<std::string> path = LastReport();
  if (!path) return Complain(path.error().message, kExitNo);
  if (!only_prints) {
    for (const std::string& browser : Browsers()) {
      if (Start(CommandOf(browser, *path))) break;
    }
  }
  const Result<void> written = WriteOutput("-", *path + "\n");
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineOpen(CLI::App& command) {
  const auto only_prints = std::make_shared<bool>(false);
  command.add_flag("--print", *only_prints, "Print the report's path only");
  command.footer(
      "Shows the report that `sparkprof run`, `sparkprof report` or `sparkprof analyze` wrote last, in the browser "
      "that\n"
      "BROWSER names or the desktop's, and prints its path. Exits with code 1 if there is no report.\n"
      "Examples:\n"
      "  sparkprof open\n"
      "  scp \"$(sparkprof open --print)\" laptop:");
  return [only_prints] { return RunOpen(*only_prints); };
}

}  // namespace sparkprof
