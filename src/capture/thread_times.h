// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/proc_folder.h"

namespace sparkprof {

// CPU time of a process by thread name, from /proc/PID/task/TID/schedstat (the first number, ns; proc(5)). Unlike
// samplers, which count whole intervals, this does not lose the last interval of a thread. CPU time between the last
// reading and a thread's end is missing. Not thread-safe.
class ThreadTimes {
 public:
  explicit ThreadTimes(int64_t pid);

  // Sets a thread's name in the samples; the first 15 bytes count. The kernel has another name for native threads
  // attached to a JVM.
  void SetName(int64_t thread, std::string_view name);

  // CPU time since construction in ns, by name: at most 15 bytes, with numbers as "#". A renamed thread takes its time
  // along. Empty if the kernel has no times.
  std::map<std::string, int64_t> Read();

 private:
  struct Thread {
    int64_t read_ns = 0;  // CPU time at the last reading
    int64_t used_ns = 0;  // CPU time since construction
    std::string name;
    bool is_named = false;  // name was set by SetName
    int reading = 0;
  };

  const ProcFolder folder_;
  std::vector<int64_t> ids_;
  std::unordered_map<int64_t, Thread> threads_;
  std::map<std::string, int64_t> ended_;
  int reading_ = 0;
};

}  // namespace sparkprof
