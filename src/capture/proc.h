// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// /proc/PID/stat, what sparkprof uses of it. Times in clock ticks (sysconf _SC_CLK_TCK), sizes in pages. proc(5).
struct ProcessStat {
  int64_t pid = 0;
  std::string command;  // at most 15 bytes, may hold blanks and brackets
  char state = '?';     // 'Z' = zombie
  int64_t parent_pid = 0;
  int64_t user_ticks = 0;
  int64_t system_ticks = 0;
  int64_t children_user_ticks = 0;  // of children that ended and were waited for
  int64_t children_system_ticks = 0;
  int64_t threads = 0;
  int64_t start_ticks = 0;  // since boot
  int64_t rss_pages = 0;
};
Result<ProcessStat> ParseProcessStat(std::string_view text, const std::string& name);

// /proc/PID/io: bytes that reached storage.
struct ProcessIo {
  int64_t read_bytes = 0;
  int64_t write_bytes = 0;
};
Result<ProcessIo> ParseProcessIo(std::string_view text, const std::string& name);

Result<ProcessStat> ReadProcessStat(int64_t pid);

// Memory of a process, with shared pages divided among their processes: the Pss of /proc/PID/smaps_rollup (Linux 4.14
// and later). The kernel walks the page tables for it, which takes milliseconds for a large process.
Result<int64_t> ReadProportionalBytes(int64_t pid);

// The largest resident memory that a process has had so far: the VmHWM of /proc/PID/status.
Result<int64_t> ReadPeakBytes(int64_t pid);

// The boot's id; empty when the system has none.
std::string BootId();

}  // namespace sparkprof
