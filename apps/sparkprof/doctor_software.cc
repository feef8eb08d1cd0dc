// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <filesystem>
#include <optional>

#include "apps/sparkprof/doctor_check.h"
#include "apps/sparkprof/doctor_jar.h"
#include "apps/sparkprof/run_diagnosis.h"
#include "apps/sparkprof/run_plugin_jar.h"
#include "apps/sparkprof/submit_command.h"
#include "apps/sparkprof/submit_properties.h"
#include "base/file.h"
#include "base/text.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

std::string Variable(const DoctorRequest& request, const std::string& name) {
  const auto found = request.environment.find(name);
  return found == request.environment.end() ? "" : found->second;
}

std::string SparkHome(const DoctorRequest& request) {
  if (!request.spark_home.empty()) return request.spark_home;
  for (const char* program : {"spark-submit", "python3", "python"}) {
    const std::string home = FindSparkHome(program, request.environment);
    if (!home.empty() && FindSparkVersion(home)) return home;
  }
  return "";
}

// The version that a Java installation's file "release" names: JAVA_VERSION="17.0.15".
std::string ReleaseVersion(const fs::path& java) {
  std::error_code error;
  const fs::path home = fs::canonical(java, error).parent_path().parent_path();
  // Java 8 has bin/java in jre/ too, and the file one folder higher.
  for (const fs::path& folder : {home, home.parent_path()}) {
    std::string version;
    const auto release = ReadFile(folder / "release");
    if (release && RE2::PartialMatch(*release, R"rx(JAVA_VERSION="([^"]+)")rx", &version)) return version;
  }
  return "";
}

Check CheckJava(const DoctorRequest& request, const std::string& spark_version) {
  const std::string home = Variable(request, "JAVA_HOME");
  const std::string java = home.empty() ? FindProgram("java", request.environment) : home + "/bin/java";
  std::error_code error;
  if (java.empty() || !fs::exists(java, error)) {
    const std::string place = home.empty() ? "PATH" : "JAVA_HOME (" + home + ")";
    return {"Java", CheckStatus::kMissing, "no java in " + place + ": Spark cannot start",
            "install JDK 17 and set JAVA_HOME to its folder"};
  }
  return JudgeJava(ReleaseVersion(java), spark_version, java);
}

Check CheckSpark(const std::string& home, const std::optional<SparkVersion>& version) {
  if (!version) {
    return {"Spark", CheckStatus::kMissing,
            home.empty() ? "no Spark found by SPARK_HOME, spark-submit or python3 on PATH" : "no Spark in " + home,
            "set SPARK_HOME, give --spark-home, or activate the Python environment that has pyspark"};
  }
  const std::string text = fmt::format("{} in {}", version->text, home);
  if (version->major < 3 || (version->major == 3 && version->minor < 1)) {
    return {"Spark", CheckStatus::kMissing, text + ": too old for the plugin", "use Spark 3.1 or later"};
  }
  return {"Spark", CheckStatus::kOk, text, ""};
}

Check CheckPluginJar(const DoctorRequest& request) {
  const auto jar = FindPluginJar(request.plugin_jar);
  if (!jar) return {"plugin", CheckStatus::kMissing, jar.error().message, "build it with `make build`"};
  const auto missing = MissingInPluginJar(*jar);
  if (!missing) return {"plugin", CheckStatus::kMissing, missing.error().message, "build it again with `make build`"};
  if (missing->empty()) return {"plugin", CheckStatus::kOk, *jar, ""};
  return {"plugin", CheckStatus::kMissing,
          fmt::format("{} has no {} for this machine's architecture", *jar, fmt::join(*missing, ", ")),
          "build it again with `make build`"};
}

// Agents that JVMs of this user's Spark would be started with: "JAVA_TOOL_OPTIONS: -agentpath:…".
std::vector<std::string> ConfiguredAgents(const DoctorRequest& request, const std::string& home) {
  std::vector<std::string> agents;
  const auto add = [&](const std::string& place, const std::string& options) {
    for (const std::string& option : AgentOptions(options)) agents.push_back(place + ": " + option);
  };
  for (const char* name : {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS"})
    add(name, Variable(request, name));
  const std::string folder = Variable(request, "SPARK_CONF_DIR");
  const std::string path = (folder.empty() ? home + "/conf" : folder) + "/spark-defaults.conf";
  if (const auto text = ReadFile(path)) {
    for (const auto& [key, value] : ParseProperties(*text)) {
      if (key.ends_with("JavaOptions")) add(path + ": " + key, value);
    }
  }
  return agents;
}

// Profilers in running JVMs that this user may look into: "JVM 1234: libasyncProfiler.so".
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

Check CheckOtherProfilers(const DoctorRequest& request, const std::string& home) {
  std::vector<std::string> found = ConfiguredAgents(request, home);
  if (!found.empty()) {
    return {"other profilers", CheckStatus::kLimited,
            fmt::format(
                "Spark's JVMs are started with agents ({}): where one of them samples, sparkprof leaves that JVM alone",
                fmt::join(found, "; ")),
            "take profilers out of the options for the runs that sparkprof is to profile"};
  }
  found = LoadedProfilers();
  if (found.empty()) return {"other profilers", CheckStatus::kOk, "none configured, none in running JVMs", ""};
  return {"other profilers", CheckStatus::kOk, fmt::format("none configured; running now: {}", fmt::join(found, "; ")),
          ""};
}

}  // namespace

int JavaMajor(const std::string& version) {
  int major = 0;
  const bool matches =
      RE2::PartialMatch(version, R"(^1\.([0-9]+))", &major) || RE2::PartialMatch(version, R"(^([0-9]+))", &major);
  return matches ? major : 0;
}

Check JudgeJava(const std::string& version, const std::string& spark, const std::string& place) {
  if (version.empty()) return {"Java", CheckStatus::kOk, place + " (its version is not known)", ""};
  const int major = JavaMajor(version);
  const std::string text = fmt::format("{} ({})", version, place);
  const bool spark_4 = JavaMajor(spark) >= 4;
  if (major < 8 || (spark_4 && major < 17)) {
    return {"Java", CheckStatus::kMissing, fmt::format("{}: too old for Spark {}", text, spark.empty() ? "3" : spark),
            "set JAVA_HOME to a JDK 17"};
  }
  if (major >= 24) {
    return {"Java", CheckStatus::kMissing, fmt::format("{}: Spark {} does not start on it", text, spark),
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

std::vector<Check> CheckSoftware(const DoctorRequest& request) {
  const std::string home = SparkHome(request);
  const auto version = FindSparkVersion(home);
  return {CheckJava(request, version ? version->text : ""), CheckSpark(home, version), CheckPluginJar(request),
          CheckOtherProfilers(request, home)};
}

}  // namespace sparkprof
