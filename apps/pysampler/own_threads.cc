// SPDX-License-Identifier: Apache-2.0
#include "own_threads.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "cpython/ring/ring.h"

namespace sparkprof {
namespace {

// Offsets in struct linux_dirent64, getdents64(2).
constexpr long kEntrySize = 16;  // 16 bits
constexpr long kEntryName = 19;

constexpr size_t kFileBytes = 512;

// Reads the start of /proc/self/task/TID/NAME; empty if unreadable. Without formatting functions, because this is the
// sampler's most frequent kernel work.
std::string_view ReadTaskFile(int32_t tid, std::string_view name, char (&text)[kFileBytes]) {
  constexpr std::string_view kFolder = "/proc/self/task/";
  char* end = std::copy(kFolder.begin(), kFolder.end(), text);
  end = std::to_chars(end, text + sizeof text, tid).ptr;
  *end++ = '/';
  *std::copy(name.begin(), name.end(), end) = '\0';
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t got = read(file, text, sizeof text);
  close(file);
  return {text, got > 0 ? static_cast<size_t>(got) : 0};
}

// The first hexadecimal number ("0x…") from `at` on; 0 if there is none. Sets `at` to the position after it.
uint64_t NextHex(std::string_view text, size_t* at) {
  const size_t begin = text.find("0x", *at);
  if (begin == std::string_view::npos) return 0;
  uint64_t value = 0;
  const std::from_chars_result end = std::from_chars(text.data() + begin + 2, text.data() + text.size(), value, 16);
  *at = static_cast<size_t>(end.ptr - text.data());
  return end.ec == std::errc() ? value : 0;
}

}  // namespace

int64_t ClockNanos(clockid_t clock) {
  constexpr int64_t kNanosPerSecond = 1'000'000'000;
  timespec time{};
  return clock_gettime(clock, &time) == 0 ? time.tv_sec * kNanosPerSecond + time.tv_nsec : -1;
}

// linux/posix-timers.h: per-thread, scheduler.
clockid_t ClockOfThread(int32_t tid) { return static_cast<clockid_t>(~static_cast<uint32_t>(tid) << 3 | 4 | 2); }

// Format: proc(5).
uint16_t ReadRunState(int32_t tid) {
  char text[kFileBytes];
  const std::string_view stat = ReadTaskFile(tid, "stat", text);
  // The name may contain parentheses.
  const size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return 0;
  return stat[name_end + 2] == 'R' ? kRingRunnable : kRingAsleep;
}

// While a thread is on another CPU, each reading of its clock differs. A thread that was on a CPU nearly all the time
// is also running, or waits until the sampler leaves its CPU.
bool RunsNow(int32_t tid, int64_t clock_ns, int64_t cpu_ns, int64_t wall_ns) {
  return wall_ns - cpu_ns < wall_ns / 20 || ClockNanos(ClockOfThread(tid)) > clock_ns ||
         ReadRunState(tid) == kRingRunnable;
}

// Format of proc(5), "syscall": "running", or the number of the system call, its six arguments unless the number is -1,
// the stack pointer and the pc.
bool ReadSleepPlace(int32_t tid, SleepPlace* place) {
  char text[kFileBytes];
  const std::string_view line = ReadTaskFile(tid, "syscall", text);
  if (line.empty() || line.front() == 'r') return false;
  size_t at = 0;
  for (int i = 0; i < 6 && line.front() != '-'; ++i) NextHex(line, &at);
  place->stack_pointer = NextHex(line, &at);
  place->pc = NextHex(line, &at);
  return place->stack_pointer != 0 && place->pc != 0;
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
