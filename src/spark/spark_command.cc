// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "spark/spark_processes.h"

namespace sparkprof {
namespace {

struct KnownClass {
  std::string_view name;
  JvmRole role;
};
constexpr KnownClass kKnownClasses[] = {
    {"org.apache.spark.executor.CoarseGrainedExecutorBackend", JvmRole::kExecutor},
    {"org.apache.spark.executor.YarnCoarseGrainedExecutorBackend", JvmRole::kExecutor},
    {"org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend", JvmRole::kExecutor},
    {"org.apache.spark.executor.MesosExecutorBackend", JvmRole::kExecutor},
    {"org.apache.spark.deploy.SparkSubmit", JvmRole::kDriver},
    {"org.apache.spark.deploy.yarn.ApplicationMaster", JvmRole::kDriver},
    {"org.apache.spark.deploy.worker.DriverWrapper", JvmRole::kDriver},
    {"org.apache.spark.deploy.yarn.ExecutorLauncher", JvmRole::kApplicationMaster},
    {"org.apache.spark.deploy.master.Master", JvmRole::kMaster},
    {"org.apache.spark.deploy.worker.Worker", JvmRole::kWorker},
    {"org.apache.spark.deploy.history.HistoryServer", JvmRole::kHistoryServer},
    {"org.apache.spark.deploy.ExternalShuffleService", JvmRole::kShuffleService},
};

// Options of the `java` launcher with a separate value argument.
constexpr std::string_view kWithValue[] = {"-cp",
                                           "-classpath",
                                           "--class-path",
                                           "-p",
                                           "--module-path",
                                           "--add-modules",
                                           "--add-opens",
                                           "--add-exports",
                                           "--add-reads",
                                           "--patch-module",
                                           "--limit-modules",
                                           "--upgrade-module-path",
                                           "--enable-native-access",
                                           "--source"};

// The value of an option, "--name x" or "--name=x"; empty if missing.
std::string ValueOf(const std::vector<std::string>& arguments, const std::string& option) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == option && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with(option + "=")) return arguments[i].substr(option.size() + 1);
  }
  return {};
}

// The value of a Spark setting: "--conf key=value" or "-Dkey=value".
std::string SettingOf(const std::vector<std::string>& arguments, const std::string& key) {
  for (const std::string& argument : arguments) {
    for (const std::string& start : {key + "=", "-D" + key + "="}) {
      if (argument.starts_with(start)) return argument.substr(start.size());
    }
  }
  return {};
}

// The primary resource of spark-submit, without its folder: "job.py", "app.jar", "pyspark-shell".
std::string PrimaryResource(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (!argument.starts_with('-')) return argument.substr(argument.rfind('/') + 1);
    const bool is_flag = argument == "--verbose" || argument == "-v" || argument == "--supervise";
    if (!is_flag && argument.find('=') == std::string::npos) ++i;
  }
  return {};
}

// YARN's application ID anywhere in the command line: log folders and distributed files contain it.
std::string YarnApplication(const std::vector<std::string>& command) {
  constexpr std::string_view kStart = "application_";
  constexpr std::string_view kDigits = "0123456789";
  for (const std::string_view argument : command) {
    for (size_t at = argument.find(kStart); at != std::string_view::npos; at = argument.find(kStart, at + 1)) {
      const std::string_view rest = argument.substr(at + kStart.size());
      const size_t time = std::min(rest.find_first_not_of(kDigits), rest.size());
      if (time == 0 || time == rest.size() || rest[time] != '_') continue;
      const size_t number = std::min(rest.find_first_not_of(kDigits, time + 1), rest.size()) - time - 1;
      if (number > 0) return std::string(argument.substr(at, kStart.size() + time + 1 + number));
    }
  }
  return {};
}

}  // namespace

bool MayRunSpark(std::string_view main_class) {
  return !main_class.starts_with("org.apache.hadoop.") || main_class == "org.apache.hadoop.util.RunJar";
}

std::string_view JvmRoleName(JvmRole role) {
  switch (role) {
    case JvmRole::kDriver:
      return "driver";
    case JvmRole::kExecutor:
      return "executor";
    case JvmRole::kApplicationMaster:
      return "application_master";
    case JvmRole::kSubmit:
      return "submit";
    case JvmRole::kMaster:
      return "master";
    case JvmRole::kWorker:
      return "worker";
    case JvmRole::kHistoryServer:
      return "history_server";
    case JvmRole::kShuffleService:
      return "shuffle_service";
    case JvmRole::kOther:
      break;
  }
  return "other";
}

JavaCommand ParseJavaCommand(const std::vector<std::string>& command) {
  JavaCommand java;
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& argument = command[i];
    const bool module = argument == "-m" || argument == "--module";
    if (argument == "-jar" || module) {
      if (i + 1 < command.size()) java.main_class = command[i + 1];
      const size_t slash = module ? java.main_class.find('/') : std::string::npos;
      if (slash != std::string::npos) java.main_class.erase(0, slash + 1);
      java.arguments.assign(command.begin() + static_cast<std::ptrdiff_t>(std::min(i + 2, command.size())),
                            command.end());
      return java;
    }
    if (std::find(std::begin(kWithValue), std::end(kWithValue), argument) != std::end(kWithValue)) {
      ++i;
    } else if (!argument.empty() && argument[0] != '-' && argument[0] != '@') {
      java.main_class = argument;
      java.arguments.assign(command.begin() + static_cast<std::ptrdiff_t>(i + 1), command.end());
      return java;
    }
  }
  return java;
}

void DescribeByCommand(const std::vector<std::string>& command, SparkJvm* jvm) {
  const JavaCommand java = ParseJavaCommand(command);
  const auto known = std::find_if(std::begin(kKnownClasses), std::end(kKnownClasses),
                                  [&](const KnownClass& candidate) { return candidate.name == java.main_class; });
  if (known != std::end(kKnownClasses)) jvm->role = known->role;
  switch (jvm->role) {
    case JvmRole::kExecutor:
      jvm->executor_id = ValueOf(java.arguments, "--executor-id");
      jvm->host = ValueOf(java.arguments, "--hostname");
      jvm->application_id = ValueOf(java.arguments, "--app-id");
      jvm->driver_url = ValueOf(java.arguments, "--driver-url");
      break;
    case JvmRole::kDriver: {
      if (java.main_class.ends_with(".SparkSubmit") && ValueOf(java.arguments, "--deploy-mode") == "cluster") {
        jvm->role = JvmRole::kSubmit;
      } else {
        jvm->executor_id = "driver";
      }
      jvm->application_name = ValueOf(java.arguments, "--name");
      if (jvm->application_name.empty()) jvm->application_name = SettingOf(command, "spark.app.name");
      if (jvm->application_name.empty()) jvm->application_name = ValueOf(java.arguments, "--class");
      if (jvm->application_name.empty() && java.main_class.ends_with(".SparkSubmit")) {
        jvm->application_name = PrimaryResource(java.arguments);
      }
      jvm->host = SettingOf(command, "spark.driver.host");
      break;
    }
    case JvmRole::kMaster:
    case JvmRole::kWorker:
      jvm->host = ValueOf(java.arguments, "--host");
      break;
    default:
      break;
  }
  if (jvm->application_id.empty() && jvm->role != JvmRole::kOther) jvm->application_id = YarnApplication(command);
}

}  // namespace sparkprof
