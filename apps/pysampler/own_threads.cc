// SPDX-License-Identifier: Apache-2.0
#include "own_threads.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cpython/ring/ring.h"

namespace sparkprof {
namespace {

// Offsets in struct linux_dirent64, getdents64(2).
constexpr long kEntrySize = 16;  // 16 bits
constexpr long kEntryName = 19;

}  // namespace

// linux/posix-timers.h: per-thread, scheduler.
clockid_t ClockOfThread(int32_t tid) { return static_cast<clockid_t>(~static_cast<uint32_t>(tid) << 3 | 4 | 2); }

// /proc/self/task/TID/stat, proc(5).
uint16_t ReadRunState(int32_t tid) {
  char text[512];
  snprintf(text, sizeof text, "/proc/self/task/%d/stat", tid);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t got = read(file, text, sizeof text);
  close(file);
  const std::string_view stat(text, got > 0 ? static_cast<size_t>(got) : 0);
  // The name before it may have parentheses of its own.
  const size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return 0;
  return stat[name_end + 2] == 'R' ? kRingRunnable : kRingAsleep;
}

size_t ListOwnThreads(int32_t* tids, size_t capacity) {
  const int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return 0;
  size_t count = 0;
  char bytes[4096];
  for (long got = 0; (got = syscall(SYS_getdents64, folder, bytes, sizeof bytes)) > 0;) {
    for (long at = 0; at < got;) {
      const int tid = std::atoi(bytes + at + kEntryName);
      if (tid > 0 && count < capacity) tids[count++] = tid;
      uint16_t size = 0;
      std::memcpy(&size, bytes + at + kEntrySize, sizeof size);
      at += size;
    }
  }
  close(folder);
  return count;
}

}  // namespace sparkprof
