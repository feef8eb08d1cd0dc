// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launch/submit_command.h"

namespace sparkprof {

enum class CheckStatus {
  kOk,
  kLimited,  // profiling works with restrictions
  kMissing,  // profiling does not work
};

// A requirement for profiling, checked on this machine.
struct Check {
  std::string name;
  CheckStatus status = CheckStatus::kOk;
  std::string finding;  // result
  std::string advice;   // fix; empty if not needed
};

struct DoctorRequest {
  std::map<std::string, std::string> environment;
  std::string spark_home;    // chosen by the user; empty = detect
  std::string plugin_jar;    // chosen by the user; empty = detect
  std::string output = ".";  // folder for reports
  bool cluster = false;      // also check what profiles all jobs
};

// Checks Java, Spark, the plugin's jar and other profilers.
std::vector<Check> CheckSoftware(const DoctorRequest& request);

// Checks whether all jobs that this machine's Spark submits are profiled: spark-defaults.conf loads the plugin and
// names a place for recordings. `job` is an empty spark-submit.
std::vector<Check> CheckCluster(const SubmitRequest& job);

// Checks the kernel's permissions, temporary folders, disk space and the container's limits.
std::vector<Check> CheckMachine(const DoctorRequest& request);

// Evaluation of values that were read, separate from reading them.

// `version` as in "17.0.15" or "1.8.0_402"; `spark` as in "4.1.1", or empty.
Check JudgeJava(const std::string& version, const std::string& spark, const std::string& place);
// Major version: 17 for "17.0.15", 8 for "1.8.0_402", 0 if invalid.
int JavaMajor(const std::string& version);
// `error`: result of perf_event_open for samples with kernel frames (0 = success, else errno). `paranoid`: the kernel's
// setting.
Check JudgePerfEvents(int error, const std::string& paranoid);
// Evaluates whether /proc/kallsyms shows addresses, with the two settings that control it for users other than root.
Check JudgeKernelNames(bool shows_addresses, const std::string& kptr_restrict, const std::string& paranoid);

}  // namespace sparkprof
