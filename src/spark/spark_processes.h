// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capture/jvm_attach/loaded_profiler.h"

namespace sparkprof {

enum class JvmRole {
  kDriver,  // spark-submit in client mode, pyspark, a YARN ApplicationMaster in cluster mode, a program with embedded
            // Spark
  kExecutor,
  kApplicationMaster,  // YARN's ApplicationMaster in client mode
  kSubmit,             // spark-submit waiting for a remote driver
  kMaster,             // master of a standalone cluster
  kWorker,
  kHistoryServer,
  kShuffleService,
  kOther,  // not using Spark
};
std::string_view JvmRoleName(JvmRole role);  // "driver", "executor", "application_master", …

// A JVM on this host, described without attaching to it. Unknown texts are empty.
struct SparkJvm {
  int64_t pid = 0;
  int64_t start_ticks = 0;  // since boot
  std::string user;         // user name, or number if it has none
  JvmRole role = JvmRole::kOther;
  std::string application_id;
  std::string application_name;
  std::string executor_id;    // "driver" for drivers
  std::string host;           // host name in Spark
  std::string driver_url;     // for executors: "spark://CoarseGrainedScheduler@host:port"
  std::string spark_version;  // "3.5.7", from its open jar
  std::string command;        // redacted main class and arguments for display
  ProfilerOrigin profiler = ProfilerOrigin::kNone;
};

// Main class and arguments of a Java command line. `arguments` are those of the JVM, starting with its options.
struct JavaCommand {
  std::string main_class;  // main class, or the jar after -jar; empty if unknown
  std::vector<std::string> arguments;
};
JavaCommand ParseJavaCommand(const std::vector<std::string>& command);

// Sets role, application, executor and host from a JVM's command line.
void DescribeByCommand(const std::vector<std::string>& command, SparkJvm* jvm);

// Whether a JVM with this main class and open Spark jars may be running Spark. Hadoop's daemons copy such jars.
bool MayRunSpark(std::string_view main_class);

// All JVMs on this host that run Spark, sorted by PID; with `all`, every JVM. For another user's JVM, only the command
// line is available.
std::vector<SparkJvm> FindSparkJvms(bool all);

}  // namespace sparkprof
