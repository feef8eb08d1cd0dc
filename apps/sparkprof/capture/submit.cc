// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "capture/run.h"
#include "launch/output_folder.h"
#include "launch/spark_submit.h"
#include "launch/submit_command.h"
#include "verb.h"

namespace sparkprof {
namespace {

constexpr int kNotFound = 127;    // same as a shell's
constexpr int kNotStarted = 126;  // same as a shell's
// Folder that gets a subfolder per run: the command line is spark-submit's and has no option for it.
constexpr char kRunsVariable[] = "SPARKPROF_RUNS_DIR";
// Script of a Python package that started this program.
constexpr char kScriptVariable[] = "SPARKPROF_SUBMIT_SCRIPT";

// Paths of this program and of the script that started it, which may be named spark-submit.
std::vector<std::string> OwnPaths() {
  std::error_code error;
  std::vector<std::string> own{std::filesystem::read_symlink("/proc/self/exe", error)};
  if (const char* const script = std::getenv(kScriptVariable); script != nullptr) own.emplace_back(script);
  unsetenv(kScriptVariable);
  return own;
}

int Become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  return Complain(command[0] + ": " + std::strerror(errno), kNotStarted);
}

}  // namespace

int Submit(const std::string& name, const std::vector<std::string>& arguments) {
  const std::vector<std::string> own = OwnPaths();
  const auto program = FindRealSubmit(name, ProcessEnvironment(), own);
  if (!program) return Complain(program.error().message, kNotFound);
  std::vector<std::string> command{*program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (FindLauncher({command, ProcessEnvironment(), "", {}}) == Launcher::kNoJob) return Become(command);
  const char* const runs = std::getenv(kRunsVariable);
  return RunForScheduler(command, DefaultOutputFolder(runs == nullptr || *runs == '\0' ? "." : runs));
}

}  // namespace sparkprof
