// SPDX-License-Identifier: Apache-2.0
#include "spark/spark_processes.h"

#include <dirent.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>

#include "base/file.h"
#include "base/redaction/redaction.h"
#include "base/text.h"
#include "capture/command_line.h"
#include "capture/proc.h"

namespace sparkprof {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

std::vector<std::string> NamesIn(const std::string& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseFolder> folder(opendir(path.c_str()));
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) names.emplace_back(entry->d_name);
  return names;
}

std::string LinkTarget(const std::string& path) {
  char target[4096];
  const ssize_t size = readlink(path.c_str(), target, sizeof target);
  return size <= 0 ? "" : std::string(target, static_cast<size_t>(size));
}

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

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

// JVMs of our namespaces with performance data, including those whose program is not called java.
std::set<int64_t> PidsWithPerformanceData() {
  std::set<int64_t> pids;
  for (const std::string& name : NamesIn("/tmp")) {
    if (!name.starts_with("hsperfdata_")) continue;
    for (const std::string& file : NamesIn("/tmp/" + name)) {
      if (const auto pid = ParseInteger(file)) pids.insert(*pid);
    }
  }
  return pids;
}

// "spark-core_2.13-4.1.1.jar" → "4.1.1".
std::string VersionOfCoreJar(const std::string& name) {
  if (!name.starts_with("spark-core_") || !name.ends_with(".jar")) return {};
  const size_t dash = name.find('-', std::string_view("spark-core_").size());
  return dash == std::string::npos ? "" : name.substr(dash + 1, name.size() - dash - 1 - 4);
}

// The application of an event log that is being written: "local-1700000000000.inprogress" or, where the log is split,
// "events_1_app-20261121160000-0001.zstd".
std::string ApplicationOfEventLog(const std::string& path) {
  constexpr std::string_view kInProgress = ".inprogress", kPiece = "events_";
  std::string name = FileName(path);
  const bool is_piece = name.starts_with(kPiece);
  if (is_piece) name.erase(0, std::min(name.find('_', kPiece.size()), name.size() - 1) + 1);
  if (name.ends_with(kInProgress)) {
    name.erase(name.size() - kInProgress.size());
  } else if (!is_piece) {
    return {};
  }
  for (const std::string_view codec : {".zstd", ".lz4", ".lzf", ".snappy"}) {
    if (name.ends_with(codec)) name.erase(name.size() - codec.size());
  }
  for (const std::string_view start : {"local-", "app-", "application_", "spark-"}) {
    if (name.starts_with(start)) return name;
  }
  return {};
}

// Findings from a JVM's open files, and the inodes of its sockets.
struct OpenFiles {
  std::string spark_version;
  std::string application_id;
  std::set<int64_t> sockets;
};

OpenFiles LookAtOpenFiles(const std::string& process_folder) {
  OpenFiles found;
  constexpr std::string_view kSocket = "socket:[";
  for (const std::string& fd : NamesIn(process_folder + "/fd")) {
    const std::string target = LinkTarget(process_folder + "/fd/" + fd);
    if (target.starts_with(kSocket)) {
      found.sockets.insert(
          ParseInteger(std::string_view(target).substr(kSocket.size(), target.size() - kSocket.size() - 1))
              .value_or(0));
      continue;
    }
    if (found.spark_version.empty()) found.spark_version = VersionOfCoreJar(FileName(target));
    if (found.application_id.empty()) found.application_id = ApplicationOfEventLog(target);
  }
  return found;
}

// Ports on which a process listens, by its sockets and its network namespace's table. Format: proc(5), /proc/net/tcp.
std::set<int64_t> ListeningPorts(const std::string& process_folder, const std::set<int64_t>& sockets) {
  constexpr size_t kLocalAddress = 1, kState = 3, kInode = 9;
  std::set<int64_t> ports;
  for (const char* table : {"/net/tcp", "/net/tcp6"}) {
    const auto text = ReadFile(process_folder + table);
    if (!text) continue;
    for (const std::string_view line : Split(*text, '\n')) {
      std::vector<std::string_view> fields;
      for (const std::string_view field : Split(line, ' ')) {
        if (!field.empty()) fields.push_back(field);
      }
      if (fields.size() <= kInode || fields[kState] != "0A") continue;
      if (!sockets.contains(ParseInteger(fields[kInode]).value_or(0))) continue;
      const std::string_view port = fields[kLocalAddress].substr(fields[kLocalAddress].rfind(':') + 1);
      int64_t number = 0;
      if (std::from_chars(port.data(), port.data() + port.size(), number, 16).ec == std::errc()) ports.insert(number);
    }
  }
  return ports;
}

int64_t PortOfUrl(const std::string& url) {
  return ParseInteger(std::string_view(url).substr(url.rfind(':') + 1)).value_or(0);
}

// A driver's application by the executors of this host that call its port.
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

// Executors carry no name of their application on their command line.
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
  for (const std::string& name : NamesIn("/proc")) {
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
    const bool is_java = FileName(command.front()) == "java" || known.contains(pid);
    const auto stat = is_java ? ReadProcessStat(pid) : Fail("");
    if (!stat || stat->state == 'Z') continue;
    SparkJvm jvm{.pid = pid, .start_ticks = stat->start_ticks, .user = UserOf(folder)};
    DescribeByCommand(command, &jvm);
    OpenFiles files = LookAtOpenFiles(folder);
    jvm.spark_version = files.spark_version;
    // A program that has Spark inside is a driver.
    if (jvm.role == JvmRole::kOther && !files.spark_version.empty()) {
      jvm.role = JvmRole::kDriver;
      jvm.executor_id = "driver";
      jvm.application_name = ParseJavaCommand(command).main_class;
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
