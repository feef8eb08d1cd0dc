// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// Used fields of /proc/PID/stat (proc(5)). Times in clock ticks (sysconf _SC_CLK_TCK), sizes in pages.
struct ProcessStat {
  int64_t pid = 0;
  std::string command;  // at most 15 bytes; may contain spaces and parentheses
  char state = '?';     // 'Z' = zombie
  int64_t parent_pid = 0;
  int64_t minor_faults = 0;
  int64_t major_faults = 0;
  int64_t user_ticks = 0;
  int64_t system_ticks = 0;
  int64_t children_user_ticks = 0;  // CPU of ended children that were waited for
  int64_t children_system_ticks = 0;
  int64_t threads = 0;
  int64_t start_ticks = 0;  // since boot
  int64_t virtual_bytes = 0;
  int64_t rss_pages = 0;
};
// Allocates memory only on failure.
Result<ProcessStat> ParseProcessStat(std::string_view text, std::string_view name);

// /proc/PID/io: bytes that reached storage.
struct ProcessIo {
  int64_t read_bytes = 0;
  int64_t write_bytes = 0;
};
// Allocates memory only on failure.
Result<ProcessIo> ParseProcessIo(std::string_view text, std::string_view name);

// /proc/PID/smaps_rollup (Linux 4.14 and later), in bytes.
struct MemoryShares {
  int64_t proportional = 0;  // with shared pages divided among their processes
  int64_t own = 0;           // pages of this process only
  int64_t shared = 0;
  int64_t swap = 0;
};
Result<MemoryShares> ParseMemoryShares(std::string_view text, std::string_view name);

// Fields of /proc/PID/status that no cheaper file has.
struct ProcessStatus {
  int64_t user_id = -1;  // effective
  int64_t peak_rss_bytes = 0;
  int64_t swap_bytes = 0;
  int64_t voluntary_switches = 0;
  int64_t involuntary_switches = 0;
};
Result<ProcessStatus> ParseProcessStatus(std::string_view text, std::string_view name);

Result<ProcessStat> ReadProcessStat(int64_t pid);

// Reads /proc/PID/smaps_rollup (Linux 4.14 and later). The kernel walks the page tables for it, which takes
// milliseconds for a large process.
Result<MemoryShares> ReadMemoryShares(int64_t pid);

// Peak resident memory of a process: VmHWM in /proc/PID/status.
Result<int64_t> ReadPeakBytes(int64_t pid);

// The boot's ID; empty if the system has none.
std::string BootId();

// Inputs of the kernel's check whether a process may read another one (ptrace(2), "Ptrace access mode checking").
struct LookPermission {
  bool is_root = false;      // whether the reader is root
  bool is_own = false;       // whether both belong to one user
  std::string user, owner;   // user names of the reader and of the process
  std::string ptrace_scope;  // kernel.yama.ptrace_scope; empty if the kernel lacks it
};

// One sentence: why process `pid` cannot be read, and the fix.
std::string ExplainNotPermitted(int64_t pid, const LookPermission& permission);

// The same for this process's current permission.
Error NotPermitted(int64_t pid);

}  // namespace sparkprof
