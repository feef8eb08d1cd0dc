// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "model/application.h"

namespace sparkprof {

inline constexpr char kDriverProgramRole[] = "python_driver";

// The Python programs that drive Spark, among an application's Python processes: for example the user's script, not
// workers.
class DriverPrograms {
 public:
  // `application` must outlive it.
  explicit DriverPrograms(const Application& application) : application_(application) {
    for (const ApplicationProcess& process : application.processes) {
      if (process.process.role == kDriverProgramRole) pids_.insert({process.executor, process.process.pid});
    }
  }

  // Whether a Python sample belongs to one of them.
  bool Has(const Sample& sample) const {
    const ProfileThread& thread = application_.profile.threads[sample.thread];
    return pids_.contains({thread.executor, thread.process});
  }

 private:
  const Application& application_;
  std::set<std::pair<int32_t, int64_t>> pids_;  // with the executor whose agent reported it
};

// Their resource usage: "1.9 s CPU, resident memory from 115 MiB to 307 MiB"; empty if there are none.
std::string DriverProgramsInWords(const Application& application);

}  // namespace sparkprof
