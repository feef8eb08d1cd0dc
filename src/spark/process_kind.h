// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// The role of a process in Spark jobs, from its own data. Unknown texts are empty.
struct ProcessKind {
  // "jvm_driver", "jvm_executor", "application_master", "python_driver", "python_daemon", "python_worker", "yarn",
  // "hdfs", "shuffle_service", "agent" or "other"
  std::string type = "other";
  std::string application_id;
  std::string executor_id;  // "driver" for drivers
  std::string container_id;
  std::string driver_url;  // for executors: "spark://CoarseGrainedScheduler@host:port"
  bool is_worker = false;  // worker of a standalone cluster
  bool is_node_manager = false;
  bool is_java = false;
  bool has_gateway = false;  // whether a Python program started this JVM

  bool IsOfSpark() const { return type != "other" && type != "yarn" && type != "hdfs"; }
  bool operator==(const ProcessKind&) const = default;
};

// Data that identifies the kind of a process. Unreadable texts are empty.
struct ProcessTraits {
  std::string_view cmdline;      // /proc/PID/cmdline
  std::string_view environment;  // /proc/PID/environ
  std::string_view cgroup;       // /proc/PID/cgroup
  std::string_view parent_type;  // type of the parent process
};
ProcessKind FindProcessKind(const ProcessTraits& traits);

// The container ID in a text such as a path: YARN's ("container_e17_1700000000000_0042_01_000003"), else a container
// runtime's, 64 hexadecimal digits.
std::string ContainerIn(std::string_view text);

// Returns "application_1700000000000_0042" for "container_e17_1700000000000_0042_01_000003"; empty for other
// containers.
std::string ApplicationOfContainer(std::string_view container_id);

}  // namespace sparkprof
