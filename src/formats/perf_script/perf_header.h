// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sparkprof {

// The first line of a sample, with the fields that `perf script -F` selected:
//   java 24636/25607 [000] 4794564.109216:   10000000 cycles:pppH:
//            false 39654 19115.489713:          1 cycles:u:  ffffffff9b201293 [unknown] ([unknown])
//   java 19983 cycles:
//              fib      564424acd14d fib
// Every view is a part of the line; an empty one was not printed.
struct PerfHeader {
  std::string_view command;
  std::string_view ids;      // "24636/25607", or the thread's alone
  std::string_view time;     // "4794564.109216", of perf's clock
  std::string_view event;    // "cycles:pppH"
  int64_t period = 1;        // as stackcollapse-perf.pl reads it, between time and event
  std::string_view rest;     // behind the event: the only frame, the fields of a tracepoint
  bool has_address = false;  // `rest` is a frame, also without a module
  bool is_record = false;    // a record of --show-mmap-events and the like, not a sample

  int64_t TimeNs() const;  // kNoTime without a time
};

std::optional<PerfHeader> ParsePerfHeader(std::string_view line);

// A line without an event, a time or an address: only a command, IDs or a period. Any text can be one, so the line
// below it must be a frame.
PerfHeader ParseShortPerfHeader(std::string_view line);

}  // namespace sparkprof
