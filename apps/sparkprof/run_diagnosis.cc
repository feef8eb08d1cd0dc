// SPDX-License-Identifier: Apache-2.0
#include "apps/sparkprof/run_diagnosis.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <filesystem>
#include <vector>

#include "apps/sparkprof/doctor_jar.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

bool IsSwitchedOff(const SubmitRequest& request) {
  std::string value = FindSetting(request, "spark.sparkprof.enabled");
  if (const auto found = request.environment.find("SPARKPROF_ENABLED");
      value.empty() && found != request.environment.end()) {
    value = found->second;
  }
  return RE2::FullMatch(value, "(?i)false");
}

std::vector<std::string> Reasons(const SubmitRequest& request, Launcher launcher) {
  std::vector<std::string> reasons;
  if (IsSwitchedOff(request)) {
    reasons.push_back("profiling is switched off by spark.sparkprof.enabled or SPARKPROF_ENABLED");
  }
  if (FindSetting(request, "spark.submit.deployMode") == "cluster") {
    reasons.push_back(
        "the driver ran on the cluster (deploy mode cluster) and wrote its recording there; use --dir with a folder "
        "that "
        "all machines see, for instance on HDFS");
  }
  const auto remote = request.environment.find("SPARK_REMOTE");
  if (!FindSetting(request, "spark.remote").empty() || remote != request.environment.end()) {
    reasons.push_back("this is a Spark Connect client, the driver is on the server: profile the server");
  }
  const std::string home = FindSparkHome(request.command[0], request.environment);
  const auto version = FindSparkVersion(home);
  if (version && (version->major < 3 || (version->major == 3 && version->minor < 1))) {
    reasons.push_back(
        fmt::format("Spark {} in {} is too old: the plugin needs Spark 3.1 or later", version->text, home));
  }
  const auto missing = MissingInPluginJar(request.plugin_jar);
  if (!missing || !missing->empty()) {
    reasons.push_back(missing ? fmt::format("{} has no {}", request.plugin_jar, fmt::join(*missing, ", "))
                              : missing.error().message);
  }
  if (launcher == Launcher::kSession && reasons.empty()) {
    reasons.push_back(
        fmt::format("{} is no Spark command, and built no SparkSession in Python that the plugin came to; if it starts "
                    "spark-submit or "
                    "the like, put `sparkprof run --` in front of that",
                    request.command[0]));
  }
  return reasons;
}

}  // namespace

std::optional<SparkVersion> FindSparkVersion(const std::string& spark_home) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(spark_home) / "jars", error)) {
    SparkVersion version;
    static const RE2 kCoreJar(R"(spark-core_[0-9.]+-(([0-9]+)\.([0-9]+).*)\.jar)");
    if (RE2::FullMatch(entry.path().filename().string(), kCoreJar, &version.text, &version.major, &version.minor)) {
      return version;
    }
  }
  return std::nullopt;
}

std::string ExplainNoRecording(const SubmitRequest& request, Launcher launcher, int exit_code) {
  const std::string reasons = fmt::format("{}", fmt::join(Reasons(request, launcher), "; "));
  if (exit_code != 0) {
    const std::string text =
        fmt::format("the job ended with exit code {}, perhaps before Spark had started", exit_code);
    return reasons.empty() ? text : text + "; " + reasons;
  }
  if (!reasons.empty()) return reasons;
  return "the plugin wrote nothing: look for \"sparkprof\" in the job's log, and run `sparkprof doctor`";
}

}  // namespace sparkprof
