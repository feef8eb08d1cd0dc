// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/io/file.h"
#include "base/text/text.h"
#include "launch/check.h"
#include "launch/job_checks.h"
#include "launch/plugin_jar.h"
#include "launch/submit_command.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

std::string SparkHome(const DoctorRequest& request) {
  if (!request.spark_home.empty()) return request.spark_home;
  for (const char* program : {"spark-submit", "python3", "python"}) {
    const std::string home = FindSparkHome(program, request.environment);
    if (!home.empty() && FindSparkVersion(home)) return home;
  }
  return "";
}

// CheckJob evaluates a Spark installation that is found.
std::optional<Check> MissingSpark(const std::string& spark_home) {
  if (FindSparkVersion(spark_home)) return std::nullopt;
  return Check{"Spark", CheckStatus::kMissing,
               spark_home.empty() ? "Spark not found in SPARK_HOME, nor by spark-submit or python3 on PATH"
                                  : "no Spark in " + spark_home,
               "set SPARK_HOME, use --spark-home, or activate a Python environment with pyspark"};
}

// Profilers in running JVMs that this user can read: "JVM 1234: libasyncProfiler.so".
std::vector<std::string> LoadedProfilers() {
  static const RE2 kLibrary(
      R"(/(lib(asyncProfiler|javaProfiler|yjpagent|jprofilerti|lagent|pyroscope)[^/\n]*\.so)[^/\n]*)");
  std::vector<std::string> loaded;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string pid = entry.path().filename();
    if (!ParseInteger(pid)) continue;
    const auto maps = ReadFile(entry.path() / "maps");
    std::string library;
    if (maps && maps->find("/libjvm.so") != std::string::npos && RE2::PartialMatch(*maps, kLibrary, &library)) {
      loaded.push_back(fmt::format("JVM {}: {}", pid, library));
    }
  }
  return loaded;
}

Check CheckRunningProfilers() {
  const std::vector<std::string> found = LoadedProfilers();
  if (found.empty()) return {"other profilers", CheckStatus::kOk, "none in running JVMs", ""};
  return {"other profilers", CheckStatus::kOk, fmt::format("running now: {}", fmt::join(found, "; ")), ""};
}

}  // namespace

std::vector<Check> CheckSoftware(const DoctorRequest& request) {
  const std::string home = SparkHome(request);
  std::vector<Check> checks;
  if (std::optional<Check> missing = MissingSpark(home)) checks.push_back(std::move(*missing));
  SubmitRequest job{{"spark-submit"}, request.environment, "", {}};
  if (!home.empty()) job.environment["SPARK_HOME"] = home;
  const auto jar = FindPluginJar(request.plugin_jar);
  if (jar) {
    job.plugin_jar = *jar;
  } else {
    checks.push_back({"plugin", CheckStatus::kMissing, jar.error().message, "build it with `make build`"});
  }
  for (Check& check : CheckJob(job)) checks.push_back(std::move(check));
  if (request.cluster) {
    for (Check& check : CheckCluster(job)) checks.push_back(std::move(check));
  }
  checks.push_back(CheckRunningProfilers());
  return checks;
}

}  // namespace sparkprof
