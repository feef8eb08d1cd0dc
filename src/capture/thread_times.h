// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/proc_folder.h"

namespace sparkprof {

// CPU time of a process by its threads' names, from /proc/PID/task/TID/schedstat (the first number, ns; proc(5)). A
// sampler that counts whole intervals loses the last one of each thread; this does not. What a thread uses after the
// last reading before its end is missing. Not thread-safe.
class ThreadTimes {
 public:
  explicit ThreadTimes(int64_t pid);

  // CPU time since this object was made, ns, by name: as the kernel has it (15 bytes at most), with numbers as "#".
  // Empty where the kernel does not have it.
  const std::map<std::string, int64_t>& Read();

 private:
  struct Thread {
    int64_t cpu_ns = 0;
    int reading = 0;
  };

  const ProcFolder folder_;
  std::vector<int64_t> ids_;
  std::unordered_map<int64_t, Thread> threads_;
  std::map<std::string, int64_t> sums_;
  int reading_ = 0;
};

}  // namespace sparkprof
