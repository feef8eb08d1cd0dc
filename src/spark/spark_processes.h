// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capture/jvm_attach/loaded_profiler.h"

namespace sparkprof {

// The role of a JVM in Spark.
enum class JvmRole {
  kDriver,  // spark-submit in client mode, pyspark, a YARN ApplicationMaster in cluster mode, an own program
  kExecutor,
  kApplicationMaster,  // YARN's, of a driver in client mode
  kSubmit,             // spark-submit that waits for a driver elsewhere
  kMaster,             // of a standalone cluster
  kWorker,
  kHistoryServer,
  kShuffleService,
  kOther,  // no Spark in it
};
std::string_view JvmRoleName(JvmRole role);  // "driver", "executor", "application_master", …

// A JVM of this host, described without attaching to it. Unknown texts are empty.
struct SparkJvm {
  int64_t pid = 0;
  int64_t start_ticks = 0;  // since boot
  std::string user;         // name, or number where it has none
  JvmRole role = JvmRole::kOther;
  std::string application_id;
  std::string application_name;
  std::string executor_id;    // "driver" for drivers
  std::string host;           // as Spark names it
  std::string driver_url;     // of executors: "spark://CoarseGrainedScheduler@host:port"
  std::string spark_version;  // "3.5.7", by the jar that it has open
  std::string command;        // main class and arguments for display, without secrets
  ProfilerOrigin profiler = ProfilerOrigin::kNone;
};

// The main class and its arguments of a Java command line. `arguments` are those of the JVM, its options first.
struct JavaCommand {
  std::string main_class;  // or the jar after -jar; empty if unknown
  std::vector<std::string> arguments;
};
JavaCommand ParseJavaCommand(const std::vector<std::string>& command);

// Sets role, application, executor and host from a JVM's command line.
void DescribeByCommand(const std::vector<std::string>& command, SparkJvm* jvm);

// Whether a JVM with this main class that has Spark's jars open may run Spark. Hadoop's daemons copy such jars.
bool MayRunSpark(std::string_view main_class);

// All JVMs of this host that run Spark, by PID; with `all`, the others, too. For another user's JVM, only the command
// line is available.
std::vector<SparkJvm> FindSparkJvms(bool all);

}  // namespace sparkprof
