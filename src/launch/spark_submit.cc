// SPDX-License-Identifier: Apache-2.0
#include "launch/spark_submit.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/text/text.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

bool IsProgram(const fs::path& path) {
  std::error_code error;
  return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path, error);
}

std::string Variable(const std::map<std::string, std::string>& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

}  // namespace

std::optional<std::string> SubmitNameOf(const std::string& own_path) {
  const std::string name = fs::path(own_path).filename();
  if (name == "sparkprof-submit") return "spark-submit";
  static const RE2 kSubmit(R"(spark[0-9.]*-submit)");
  return RE2::FullMatch(name, kSubmit) ? std::optional(name) : std::nullopt;
}

Result<std::string> FindRealSubmit(const std::string& name, const std::map<std::string, std::string>& environment,
                                   const std::vector<std::string>& own) {
  const std::string folders = Variable(environment, "PATH");
  for (const std::string_view folder : Split(folders, ':')) {
    const fs::path path = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    const std::string target = fs::canonical(path, error);
    if (!error && IsProgram(path) && std::find(own.begin(), own.end(), target) == own.end()) {
      return fs::absolute(path, error).string();
    }
  }
  const std::string home = Variable(environment, "SPARK_HOME");
  const std::string path = home + "/bin/spark-submit";
  if (!home.empty() && IsProgram(path)) return path;
  return Fail(fmt::format("cannot find {}: add it to PATH, or set SPARK_HOME", name));
}

bool IsReadByScheduler(std::string_view line) {
  // airflow/providers/apache/spark/hooks/spark_submit.py: _process_spark_submit_log, 6.3.4.
  static const RE2 kRead(
      R"(application[0-9_]|pod name: |submission ID spark:|spark-app-selector -> |[eE]xit code: \d|driver-[0-9-]|Exception in thread ")");
  return RE2::PartialMatch(line, kRead);
}

std::string WithoutSchedulerLines(std::string_view text) {
  std::string kept;
  for (const std::string_view line : Split(text, '\n')) {
    if (IsReadByScheduler(line)) continue;
    kept += line;
    kept += '\n';
  }
  if (!kept.empty()) kept.pop_back();
  return kept;
}

}  // namespace sparkprof
