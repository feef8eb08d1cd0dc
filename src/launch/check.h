// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

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
  std::string advice;   // what to do; empty when there is nothing to do
};

struct DoctorRequest {
  std::map<std::string, std::string> environment;
  std::string spark_home;    // chosen by the user; empty = detect
  std::string plugin_jar;    // chosen by the user; empty = detect
  std::string output = ".";  // folder that reports would go to
};

// Java, Spark, the plugin's jar, other profilers.
std::vector<Check> CheckSoftware(const DoctorRequest& request);

// The kernel's permissions, temporary folders, disk space, the container's limits.
std::vector<Check> CheckMachine(const DoctorRequest& request);

// Judgements on what was read, apart from how it was read.

// `version` as in "17.0.15" or "1.8.0_402", `spark` as in "4.1.1" or empty.
Check JudgeJava(const std::string& version, const std::string& spark, const std::string& place);
// Major version: 17 of "17.0.15", 8 of "1.8.0_402", 0 if invalid.
int JavaMajor(const std::string& version);
// The result of perf_event_open for samples with kernel frames (0 = works, else errno), and the setting.
Check JudgePerfEvents(int error, const std::string& paranoid);
// Whether /proc/kallsyms shows addresses, and the two settings that decide it for users other than root.
Check JudgeKernelNames(bool shows_addresses, const std::string& kptr_restrict, const std::string& paranoid);

}  // namespace sparkprof
