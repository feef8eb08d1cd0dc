// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/text/text.h"
#include "launch/check.h"
#include "launch/job_checks.h"
#include "launch/job_settings.h"
#include "launch/submit_command.h"

namespace sparkprof {
namespace {

constexpr std::string_view kPluginJarName = "sparkprof-spark.jar";
constexpr const char* kAgentKey = "spark.driver.defaultJavaOptions";
constexpr const char* kListKey = "spark.plugins.defaultList";

bool ListHas(std::string_view list, std::string_view name) {
  const std::vector<std::string_view> entries = Split(list, ',');
  return std::any_of(entries.begin(), entries.end(), [name](std::string_view entry) { return Trim(entry) == name; });
}

std::string AgentJar(const std::string& options) {
  constexpr std::string_view kJavaAgent = "-javaagent:";
  for (const std::string& option : AgentOptions(options)) {
    const std::string path = option.substr(0, option.find('='));
    if (path.starts_with(kJavaAgent) && path.ends_with(kPluginJarName)) return path.substr(kJavaAgent.size());
  }
  return "";
}

Check CheckClusterPlugin(const SubmitRequest& job) {
  const std::string name = "all jobs";
  const std::string line =
      fmt::format("{} -javaagent:{}", kAgentKey,
                  job.plugin_jar.empty() ? "/opt/sparkprof/lib/sparkprof-spark.jar" : job.plugin_jar);
  const std::string jar = AgentJar(FindSetting(job, kAgentKey));
  if (!jar.empty() && access(jar.c_str(), R_OK) != 0) {
    return {name, CheckStatus::kMissing,
            fmt::format("{} names {}, which cannot be read: drivers do not start", kAgentKey, jar),
            "copy the jar there on each node, or remove the option"};
  }
  const std::string plugins = FindSetting(job, kListKey);
  if (!jar.empty() && !plugins.empty() && !ListHas(plugins, kPluginClass)) {
    return {name, CheckStatus::kMissing,
            fmt::format("{} is set to {}, which replaces what the agent sets", kListKey, plugins),
            fmt::format("append \",{}\" to it", kPluginClass)};
  }
  if (!jar.empty()) {
    return {name, CheckStatus::kOk, fmt::format("{} loads {}; the jar must be on each node", kAgentKey, jar), ""};
  }
  for (const char* key : {kListKey, "spark.plugins"}) {
    if (!ListHas(FindSetting(job, key), kPluginClass)) continue;
    return {name, CheckStatus::kLimited,
            fmt::format("{} loads it; a job with a class path, jars or plugins of its own may lose it or fail", key),
            fmt::format("in spark-defaults.conf, replace the setting with \"{}\"", line)};
  }
  return {name, CheckStatus::kMissing, "spark-defaults.conf does not load it",
          fmt::format("copy the jar to each node, and add to spark-defaults.conf \"{}\"", line)};
}

Check CheckClusterPlace(const SubmitRequest& job) {
  const std::string name = "recordings";
  const JobSettings settings = ResolveSettings(job);
  const std::string& server = settings.values.find("server")->second;
  if (!server.empty()) {
    return {name, CheckStatus::kOk, fmt::format("{}; it can switch jobs on and off while they run", server), ""};
  }
  const std::string& dir = settings.values.find("dir")->second;
  if (!dir.empty()) return {name, CheckStatus::kOk, dir, ""};
  return {
      name, CheckStatus::kMissing, "neither spark.sparkprof.server nor spark.sparkprof.dir is set",
      "add \"spark.sparkprof.server URL\" of a collector, or a folder that all machines share, to spark-defaults.conf"};
}

}  // namespace

std::vector<Check> CheckCluster(const SubmitRequest& job) { return {CheckClusterPlugin(job), CheckClusterPlace(job)}; }

}  // namespace sparkprof
