// SPDX-License-Identifier: Apache-2.0
#include "launch/submit_options.h"

#include <algorithm>
#include <array>

namespace sparkprof {
namespace {

// Spark 3.0 to 4.1, launcher/SparkSubmitOptionParser.java: options with a value.
constexpr auto kOptions = std::to_array<std::string_view>({
    "--archives",
    "--class",
    "--conf",
    "--deploy-mode",
    "--driver-class-path",
    "--driver-cores",
    "--driver-default-class-path",
    "--driver-java-options",
    "--driver-library-path",
    "--driver-memory",
    "--exclude-packages",
    "--executor-cores",
    "--executor-memory",
    "--files",
    "--jars",
    "--keytab",
    "--kill",
    "--master",
    "--name",
    "--num-executors",
    "--packages",
    "--principal",
    "--properties-file",
    "--proxy-user",
    "--py-files",
    "--queue",
    "--remote",
    "--repositories",
    "--status",
    "--total-executor-cores",
});

constexpr auto kSwitches = std::to_array<std::string_view>(
    {"--help", "-h", "--load-spark-defaults", "--supervise", "--usage-error", "--verbose", "-v", "--version"});

constexpr auto kNoJob =
    std::to_array<std::string_view>({"--help", "-h", "--kill", "--status", "--usage-error", "--version"});

// Main classes whose arguments may be mixed with Spark's.
constexpr auto kShellClasses = std::to_array<std::string_view>({
    "org.apache.spark.repl.Main",
    "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver",
    "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2",
    "org.apache.spark.sql.connect.service.SparkConnectServer",
    "org.apache.spark.sql.application.ConnectRepl",
});

template <size_t N>
bool Contains(const std::array<std::string_view, N>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// Length of "--option=" in "--option=value", else 0: (--[^=]+)=(.+) in Java, whose "." does not match a line end.
size_t JoinedOptionLength(std::string_view argument) {
  const size_t equals = argument.find('=');
  const bool joined = argument.starts_with("--") && equals != std::string_view::npos && equals > 2 &&
                      equals + 1 < argument.size() && argument.find_first_of("\r\n", equals) == std::string_view::npos;
  return joined ? equals + 1 : 0;
}

}  // namespace

const SubmitOption* SubmitArguments::Find(std::string_view name) const {
  const auto found =
      std::find_if(options.rbegin(), options.rend(), [&](const auto& option) { return option.name == name; });
  return found == options.rend() ? nullptr : &*found;
}

const SubmitOption* SubmitArguments::FindConf(std::string_view key) const {
  const auto found = std::find_if(options.rbegin(), options.rend(), [&](const auto& option) {
    const auto conf = SplitConf(option.value);
    return option.name == "--conf" && conf && conf->first == key;
  });
  return found == options.rend() ? nullptr : &*found;
}

SubmitArguments ParseSubmitArguments(const std::vector<std::string>& arguments, size_t first, bool mixed) {
  SubmitArguments parsed;
  for (size_t i = first; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const size_t joined = JoinedOptionLength(argument);
    std::string_view name = joined > 0 ? argument.substr(0, joined - 1) : argument;
    if (Contains(kNoJob, name)) parsed.runs_job = false;
    if (name == "-c") name = "--conf";
    if (Contains(kOptions, name)) {
      if (joined > 0) {
        parsed.options.push_back(
            {std::string(name), std::string(argument.substr(joined)), i, std::string(argument.substr(0, joined))});
      } else {
        if (++i == arguments.size()) break;  // Spark itself reports this error
        parsed.options.push_back({std::string(name), arguments[i], i, ""});
      }
      if (name == "--class" && Contains(kShellClasses, parsed.options.back().value)) mixed = true;
    } else if (Contains(kSwitches, name)) {
      if (name == "--load-spark-defaults") parsed.load_spark_defaults = true;
    } else if (!mixed) {
      break;
    }
  }
  return parsed;
}

std::optional<std::pair<std::string_view, std::string_view>> SplitConf(std::string_view conf) {
  const size_t equals = conf.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  return std::pair(conf.substr(0, equals), conf.substr(equals + 1));
}

}  // namespace sparkprof
