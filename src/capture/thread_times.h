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

// CPU time of a process by its threads' names, from /proc/PID/task/TID/schedstat (the first number, ns; proc(5)). A
// sampler that counts whole intervals loses the last one of each thread; this does not. What a thread uses after the
// last reading before its end is missing. Not thread-safe.
class ThreadTimes {
 public:
  explicit ThreadTimes(int64_t pid);

  // A thread's name in the samples, of which the first 15 bytes count. The kernel has another one for
  // a native thread that is attached to a JVM.
  void SetName(int64_t thread, std::string_view name);

  // CPU time since this object was made, ns, by name: 15 bytes at most, with numbers as "#". A thread that is renamed
  // takes its time along. Empty where the kernel does not have the times.
  std::map<std::string, int64_t> Read();

 private:
  struct Thread {
    int64_t read_ns = 0;  // of the last reading
    int64_t used_ns = 0;  // since this object was made
    std::string name;
    bool is_named = false;  // by SetName
    int reading = 0;
  };

  const ProcFolder folder_;
  std::vector<int64_t> ids_;
  std::unordered_map<int64_t, Thread> threads_;
  std::map<std::string, int64_t> ended_;
  int reading_ = 0;
};

}  // namespace sparkprof
