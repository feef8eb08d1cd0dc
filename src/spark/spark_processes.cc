// SPDX-License-Identifier: Apache-2.0
#include "spark/spark_processes.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/io/file.h"
#include "base/redaction/redaction.h"
#include "base/text/text.h"
#include "capture/proc.h"
#include "capture/process_tree.h"
#include "spark/open_files.h"

namespace sparkprof {
namespace {

std::vector<std::string> CommandOf(const std::string& cmdline) {
  std::string_view text = cmdline;
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  std::vector<std::string> command;
  for (const std::string_view argument : Split(text, '\0')) command.emplace_back(argument);
  return command;
}

std::string UserOf(const std::string& process_folder) {
  struct stat status;
  if (stat(process_folder.c_str(), &status) != 0) return {};
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  if (getpwuid_r(status.st_uid, &entry, buffer, sizeof buffer, &found) == 0 && found != nullptr) return entry.pw_name;
  return std::to_string(status.st_uid);
}

// JVMs in our namespaces with performance data, including those whose program is not called java.
std::set<int64_t> PidsWithPerformanceData() {
  std::set<int64_t> pids;
  for (const std::string& name : ListFolder("/tmp")) {
    if (!name.starts_with("hsperfdata_")) continue;
    for (const std::string& file : ListFolder("/tmp/" + name)) {
      if (const auto pid = ParseInteger(file)) pids.insert(*pid);
    }
  }
  return pids;
}

int64_t PortOfUrl(const std::string& url) {
  return ParseInteger(std::string_view(url).substr(url.rfind(':') + 1)).value_or(0);
}

// Sets a driver's application to that of executors on this host that are connected to its port.
void NameDrivers(const std::vector<std::set<int64_t>>& sockets, std::vector<SparkJvm>* jvms) {
  for (size_t i = 0; i < jvms->size(); ++i) {
    SparkJvm& driver = (*jvms)[i];
    if (driver.role != JvmRole::kDriver || !driver.application_id.empty()) continue;
    const std::set<int64_t> ports = ListeningPorts("/proc/" + std::to_string(driver.pid), sockets[i]);
    for (const SparkJvm& executor : *jvms) {
      if (executor.role == JvmRole::kExecutor && ports.contains(PortOfUrl(executor.driver_url))) {
        driver.application_id = executor.application_id;
      }
    }
  }
}

// An executor's command line does not contain the name of its application.
void NameExecutors(std::vector<SparkJvm>* jvms) {
  for (SparkJvm& jvm : *jvms) {
    if (!jvm.application_name.empty() || jvm.application_id.empty()) continue;
    for (const SparkJvm& driver : *jvms) {
      if (driver.role == JvmRole::kDriver && driver.application_id == jvm.application_id) {
        jvm.application_name = driver.application_name;
      }
    }
  }
}

}  // namespace

std::vector<SparkJvm> FindSparkJvms(bool all) {
  const std::set<int64_t> known = PidsWithPerformanceData();
  std::vector<int64_t> pids;
  for (const std::string& name : ListFolder("/proc")) {
    if (const auto pid = ParseInteger(name)) pids.push_back(*pid);
  }
  std::sort(pids.begin(), pids.end());
  std::vector<SparkJvm> jvms;
  std::vector<std::set<int64_t>> sockets;
  for (const int64_t pid : pids) {
    const std::string folder = "/proc/" + std::to_string(pid);
    const auto cmdline = ReadFile(folder + "/cmdline");
    if (!cmdline || cmdline->empty()) continue;
    const std::vector<std::string> command = CommandOf(*cmdline);
    const bool is_java = FileNameOf(command.front()) == "java" || known.contains(pid);
    const auto stat = is_java ? ReadProcessStat(pid) : Fail("");
    if (!stat || stat->state == 'Z') continue;
    SparkJvm jvm{.pid = pid, .start_ticks = stat->start_ticks, .user = UserOf(folder)};
    DescribeByCommand(command, &jvm);
    OpenFiles files = LookAtOpenFiles(folder);
    jvm.spark_version = files.spark_version;
    // A program with embedded Spark is a driver.
    const std::string main_class = ParseJavaCommand(command).main_class;
    if (jvm.role == JvmRole::kOther && !files.spark_version.empty() && MayRunSpark(main_class)) {
      jvm.role = JvmRole::kDriver;
      jvm.executor_id = "driver";
      jvm.application_name = main_class;
    }
    if (jvm.role == JvmRole::kOther && !all) continue;
    if (jvm.application_id.empty() && jvm.role == JvmRole::kDriver) jvm.application_id = files.application_id;
    for (std::string* text : {&jvm.application_id, &jvm.application_name, &jvm.executor_id, &jvm.host}) {
      *text = RedactText(TextForPeople(*text));
    }
    jvm.command = CommandForPeople(*cmdline);
    jvm.profiler = FindLoadedProfiler(ReadFile(folder + "/maps").value_or("")).origin;
    jvms.push_back(std::move(jvm));
    sockets.push_back(std::move(files.sockets));
  }
  NameDrivers(sockets, &jvms);
  NameExecutors(&jvms);
  return jvms;
}

}  // namespace sparkprof
