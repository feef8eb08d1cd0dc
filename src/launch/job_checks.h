// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/check.h"
#include "launch/submit_command.h"

namespace sparkprof {

struct SparkVersion {
  int major = 0;
  int minor = 0;
  std::string text;  // as in the names of its jars: "4.1.1"
};

// Path of the java that Spark's scripts start: from JAVA_HOME, else from PATH. Empty if not found.
std::string FindJava(const std::map<std::string, std::string>& environment);

// Spark's version in a folder, from the name of its core jar; nullopt if not found.
std::optional<SparkVersion> FindSparkVersion(const std::string& spark_home);

// Checks before a job starts whether the plugin can profile it, and what it will sample, for `sparkprof run` and
// `sparkprof doctor`. Skips an undetected Java or Spark and an empty plugin_jar. The check "settings" is kMissing if
// the plugin would reject a setting.
std::vector<Check> CheckJob(const SubmitRequest& request);

// Extracts options that load an agent from JVM options: "-agentpath:/opt/libyjpagent.so=port=1".
std::vector<std::string> AgentOptions(const std::string& jvm_options);

// Whether the plugin does not profile a JVM with this option, because its library is another copy of the sampling
// engine.
bool IsOtherEngine(const std::string& agent_option);

}  // namespace sparkprof
