// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cpython/sampler_thread.h"

namespace sparkprof {
namespace {

constexpr uint32_t kCallsPerLook = 64;

// The CPU on which a thread last ran: field 39 of /proc/PID/task/TID/stat, proc(5). -1 = unknown.
int CpuOf(int64_t pid, int64_t tid) {
  char text[1024];
  std::snprintf(text, sizeof text, "/proc/%" PRId64 "/task/%" PRId64 "/stat", pid, tid);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return -1;
  text[size] = '\0';
  // The name in the second field may contain spaces and parentheses.
  const char* field = std::strrchr(text, ')');
  for (int number = 2; field != nullptr && number < 39; ++number) field = std::strchr(field + 1, ' ');
  return field == nullptr ? -1 : std::atoi(field + 1);
}

}  // namespace

void NearThread::Follow(int64_t pid, int64_t tid) {
  if (calls_++ % kCallsPerLook != 0) return;
  const int cpu = CpuOf(pid, tid);
  if (cpu < 0 || cpu >= CPU_SETSIZE || cpu == cpu_) return;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  if (sched_setaffinity(0, sizeof cpus, &cpus) == 0) cpu_ = cpu;
}

}  // namespace sparkprof
