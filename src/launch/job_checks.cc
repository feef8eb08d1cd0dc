// SPDX-License-Identifier: Apache-2.0
#include "launch/job_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <filesystem>

#include "base/io/file.h"
#include "base/text/text.h"
#include "launch/job_settings.h"
#include "launch/plugin_jar.h"
#include "settings/settings.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// The version in a Java installation's file "release": JAVA_VERSION="17.0.15".
std::string ReleaseVersion(const fs::path& java) {
  std::error_code error;
  const fs::path home = fs::canonical(java, error).parent_path().parent_path();
  // Java 8 also has bin/java in jre/, with the file one folder above.
  for (const fs::path& folder : {home, home.parent_path()}) {
    std::string version;
    const auto release = ReadFile(folder / "release");
    if (release && RE2::PartialMatch(*release, R"rx(JAVA_VERSION="([^"]+)")rx", &version)) return version;
  }
  return "";
}

Check CheckJava(const std::map<std::string, std::string>& environment, const std::string& spark_version) {
  const std::string java = FindJava(environment);
  if (!java.empty()) return JudgeJava(ReleaseVersion(java), spark_version, java);
  const auto home = environment.find("JAVA_HOME");
  const bool is_set = home != environment.end() && !home->second.empty();
  return {"Java", CheckStatus::kMissing,
          fmt::format("java not found in {}", is_set ? "JAVA_HOME (" + home->second + ")" : "PATH"),
          "install JDK 17 and set JAVA_HOME to its folder"};
}

Check CheckSpark(const SparkVersion& version, const std::string& home) {
  const std::string text = fmt::format("{} in {}", version.text, home);
  if (version.major < 3 || (version.major == 3 && version.minor < 1)) {
    return {"Spark", CheckStatus::kMissing, text + ": too old, the plugin requires Spark 3.1 or later",
            "use Spark 3.1 or later"};
  }
  return {"Spark", CheckStatus::kOk, text, ""};
}

Check CheckPluginJar(const std::string& jar) {
  const auto missing = MissingInPluginJar(jar);
  if (!missing) return {"plugin", CheckStatus::kMissing, missing.error().message, "rebuild it with `make build`"};
  if (missing->empty()) return {"plugin", CheckStatus::kOk, jar, ""};
  return {"plugin", CheckStatus::kMissing,
          fmt::format("{} has no {} for this machine's architecture", jar, fmt::join(*missing, ", ")),
          "rebuild it with `make build`"};
}

// Agents configured for the job's JVMs: "JAVA_TOOL_OPTIONS: -agentpath:…".
std::vector<std::string> ConfiguredAgents(const SubmitRequest& request, bool other_engines) {
  std::vector<std::string> agents;
  const auto add = [&](const std::string& place, const std::string& options) {
    for (const std::string& option : AgentOptions(options)) {
      if (IsOtherEngine(option) == other_engines) agents.push_back(place + ": " + option);
    }
  };
  for (const char* name : {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS"}) {
    const auto found = request.environment.find(name);
    if (found != request.environment.end()) add(name, found->second);
  }
  for (const auto& [key, found] : FindSettings(request)) {
    if (key.ends_with("JavaOptions")) add(fmt::format("{} ({})", key, found.place), found.value);
  }
  return agents;
}

Check CheckAgents(const SubmitRequest& request) {
  const std::vector<std::string> engines = ConfiguredAgents(request, true);
  if (!engines.empty()) {
    return {"other agents", CheckStatus::kLimited,
            fmt::format("another profiler is configured ({}): its JVMs are not sampled", fmt::join(engines, "; ")),
            "remove it from the options of the jobs to profile"};
  }
  const std::vector<std::string> others = ConfiguredAgents(request, false);
  if (others.empty()) return {"other agents", CheckStatus::kOk, "none configured", ""};
  return {"other agents", CheckStatus::kOk,
          fmt::format("{}: not a problem unless the agent loads async-profiler", fmt::join(others, "; ")), ""};
}

Check CheckDeployMode(const SubmitRequest& request, const JobSettings& settings) {
  if (!IsClusterMode(request)) {
    return {"deploy mode", CheckStatus::kOk, "client: the driver runs on this machine", ""};
  }
  const std::string& dir = settings.values.find("dir")->second;
  if (!dir.empty()) return {"deploy mode", CheckStatus::kOk, "cluster: recordings are in " + dir, ""};
  const std::string& server = settings.values.find("server")->second;
  if (!server.empty()) return {"deploy mode", CheckStatus::kOk, "cluster: recordings go to " + server, ""};
  return {"deploy mode", CheckStatus::kLimited,
          "cluster: the driver writes its recording on its own machine; use --dir with a folder that all machines "
          "share, for example on HDFS, or --server",
          "set spark.sparkprof.dir to a folder that all machines share"};
}

Check CheckSettings(const JobSettings& settings) {
  if (!settings.refused.empty()) {
    return {"settings", CheckStatus::kMissing, fmt::format("{}", fmt::join(settings.refused, "; ")),
            "correct them, see docs/settings.md"};
  }
  if (Describe(settings) == kSwitchedOff) {
    return {"settings", CheckStatus::kMissing, std::string(kSwitchedOff),
            "remove spark.sparkprof.enabled, driver.enabled or executor.enabled from configuration and environment"};
  }
  if (!settings.notes.empty()) {
    return {"settings", CheckStatus::kLimited,
            fmt::format("{}; {}", Describe(settings), fmt::join(settings.notes, "; ")), "correct the name"};
  }
  return {"settings", CheckStatus::kOk, Describe(settings), ""};
}

}  // namespace

std::string FindJava(const std::map<std::string, std::string>& environment) {
  const auto home = environment.find("JAVA_HOME");
  const bool is_set = home != environment.end() && !home->second.empty();
  const std::string java = is_set ? home->second + "/bin/java" : FindProgram("java", environment);
  std::error_code error;
  return !java.empty() && fs::exists(java, error) ? java : "";
}

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

std::vector<Check> CheckJob(const SubmitRequest& request) {
  std::vector<Check> checks;
  const std::string home = FindSparkHome(request.command[0], request.environment);
  const auto version = FindSparkVersion(home);
  checks.push_back(CheckJava(request.environment, version ? version->text : ""));
  if (version) checks.push_back(CheckSpark(*version, home));
  if (!request.plugin_jar.empty()) checks.push_back(CheckPluginJar(request.plugin_jar));
  checks.push_back(CheckAgents(request));
  const JobSettings settings = ResolveSettings(request);
  checks.push_back(CheckDeployMode(request, settings));
  checks.push_back(CheckSettings(settings));
  return checks;
}

int JavaMajor(const std::string& version) {
  int major = 0;
  const bool matches =
      RE2::PartialMatch(version, R"(^1\.([0-9]+))", &major) || RE2::PartialMatch(version, R"(^([0-9]+))", &major);
  return matches ? major : 0;
}

Check JudgeJava(const std::string& version, const std::string& spark, const std::string& place) {
  if (version.empty()) return {"Java", CheckStatus::kOk, place + " (unknown version)", ""};
  const int major = JavaMajor(version);
  const std::string text = fmt::format("{} ({})", version, place);
  const bool spark_4 = JavaMajor(spark) >= 4;
  if (major < 8 || (spark_4 && major < 17)) {
    return {"Java", CheckStatus::kMissing, fmt::format("{}: too old for Spark {}", text, spark.empty() ? "3" : spark),
            "set JAVA_HOME to a JDK 17"};
  }
  if (major >= 24) {
    return {"Java", CheckStatus::kMissing, fmt::format("{}: Spark {} does not support it", text, spark),
            "set JAVA_HOME to a JDK 17 or 21"};
  }
  if (!spark_4 && !spark.empty() && major > 17) {
    return {"Java", CheckStatus::kLimited, fmt::format("{}: Spark {} is not tested with it", text, spark),
            "set JAVA_HOME to a JDK 17"};
  }
  return {"Java", CheckStatus::kOk, text, ""};
}

std::vector<std::string> AgentOptions(const std::string& jvm_options) {
  std::vector<std::string> agents;
  for (const std::string_view option : Split(jvm_options, ' ')) {
    const bool agent = option.starts_with("-agentpath:") || option.starts_with("-javaagent:") ||
                       (option.starts_with("-agentlib:") && !option.starts_with("-agentlib:jdwp"));
    if (agent) agents.emplace_back(option);
  }
  return agents;
}

bool IsOtherEngine(const std::string& agent_option) {
  // Library names that Engine.java checks in the JVM.
  static const RE2 kEngine(R"((?i)-agent(path:([^=]*/)?|lib:)[^/=]*(asyncprofiler|javaprofiler)[^/=]*(=.*)?)");
  return RE2::FullMatch(agent_option, kEngine);
}

}  // namespace sparkprof
