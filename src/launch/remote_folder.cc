// SPDX-License-Identifier: Apache-2.0
#include "launch/remote_folder.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text/hadoop_configuration.h"
#include "launch/submit_options.h"

namespace sparkprof {
namespace {

constexpr char kDefaultFileSystem[] = "fs.defaultFS";

// Options of spark-submit that affect access to file systems.
constexpr auto kKeptOptions =
    std::to_array<std::string_view>({"--conf", "--driver-class-path", "--exclude-packages", "--jars", "--keytab",
                                     "--packages", "--principal", "--properties-file", "--repositories"});
// Settings that would turn the copy into a job, or start the profiler.
constexpr auto kLeftOutSettings = std::to_array<std::string_view>(
    {"spark.master", "spark.submit.deployMode", "spark.plugins", "spark.plugins.defaultList", "spark.remote"});

std::string Variable(const SubmitRequest& request, const char* name) {
  const auto found = request.environment.find(name);
  return found == request.environment.end() ? "" : found->second;
}

std::string DefaultFileSystem(const SubmitRequest& request) {
  if (std::string set = FindSetting(request, std::string("spark.hadoop.") + kDefaultFileSystem); !set.empty())
    return set;
  for (const char* const variable : {"HADOOP_CONF_DIR", "YARN_CONF_DIR"}) {
    const HadoopConfiguration properties = ReadHadoopConfiguration(Variable(request, variable));
    const auto found = properties.find(kDefaultFileSystem);
    if (found != properties.end()) return found->second;
  }
  return "";
}

// The user name in Hadoop: the first part of a Kerberos principal, or HADOOP_USER_NAME.
std::string HadoopUser(const SubmitRequest& request) {
  if (const std::string principal = FindSetting(request, "spark.kerberos.principal"); !principal.empty()) {
    return principal.substr(0, principal.find_first_of("/@"));
  }
  if (std::string name = Variable(request, "HADOOP_USER_NAME"); !name.empty()) return name;
  const passwd* const entry = getpwuid(geteuid());
  return entry == nullptr ? std::string() : entry->pw_name;
}

bool IsLeftOut(std::string_view setting) {
  return std::find(kLeftOutSettings.begin(), kLeftOutSettings.end(), setting) != kLeftOutSettings.end();
}

bool IsFalse(const SubmitRequest& request, const char* setting) { return FindSetting(request, setting) == "false"; }

}  // namespace

std::string RunFolderOnCluster(const SubmitRequest& request, const std::string& run) {
  if (!IsClusterMode(request) || !FindSetting(request, "spark.master").starts_with("yarn")) return "";
  std::string root = DefaultFileSystem(request);
  while (root.ends_with('/')) root.pop_back();
  const std::string user = HadoopUser(request);
  const bool is_remote = root.find("://") != std::string::npos && !root.starts_with("file:");
  if (!is_remote || user.empty()) return "";
  return fmt::format("{}/user/{}/.sparkprof/{}", root, user, run);
}

std::string MissingJarInPod(const SubmitRequest& request) {
  if (!IsClusterMode(request) || !FindSetting(request, "spark.master").starts_with("k8s:")) return "";
  const std::string name = request.plugin_jar.substr(request.plugin_jar.rfind('/') + 1);
  const bool is_in_image = FindSetting(request, "spark.jars").find(name) != std::string::npos;
  if (is_in_image || !FindSetting(request, "spark.kubernetes.file.upload.path").empty()) return "";
  return fmt::format(
      "the driver's pod does not get the plugin's jar: put it into the image and set spark.jars=local:///PATH/{}, or "
      "set "
      "spark.kubernetes.file.upload.path",
      name);
}

std::string MissingPlaceInCluster(const SubmitRequest& request) {
  const std::string master = FindSetting(request, "spark.master");
  const bool has_own_machine = master.starts_with("k8s:") || master.starts_with("spark:");
  if (!IsClusterMode(request) || !has_own_machine) return "";
  return "in cluster mode the driver writes its recording on its own machine, where it is lost: name a folder that all "
         "machines share with --dir (HDFS, S3, a shared volume), or a collector with --server";
}

bool ReturnsEarly(const SubmitRequest& request) {
  if (!IsClusterMode(request)) return false;
  const std::string master = FindSetting(request, "spark.master");
  if (master.starts_with("yarn")) return IsFalse(request, "spark.yarn.submit.waitAppCompletion");
  if (master.starts_with("k8s:")) return IsFalse(request, "spark.kubernetes.submission.waitAppCompletion");
  return master.starts_with("spark:") && FindSetting(request, "spark.standalone.submit.waitAppCompletion") != "true";
}

std::vector<std::string> CopyCommand(const SubmitRequest& request, const std::string& remote, const std::string& target,
                                     int64_t since_ms, bool remove) {
  const SubmitProgram program = FindSubmitProgram(request);
  if (program.path.empty()) return {};
  std::vector<std::string> command{program.path, "--master", "local[1]", "--deploy-mode", "client"};
  for (const SubmitOption& option : ParseSubmitArguments(program.arguments, 0, program.is_shell).options) {
    if (std::find(kKeptOptions.begin(), kKeptOptions.end(), option.name) == kKeptOptions.end()) continue;
    const auto conf = SplitConf(option.value);
    if (option.name == "--conf" && conf && IsLeftOut(conf->first)) continue;
    command.insert(command.end(), {option.name, option.value});
  }
  command.insert(command.end(), {"--class", "org.sparkprof.CopyRecordings", request.plugin_jar, remote, target,
                                 std::to_string(since_ms), remove ? "remove" : "keep"});
  return command;
}

}  // namespace sparkprof
