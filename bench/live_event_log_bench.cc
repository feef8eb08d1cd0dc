// SPDX-License-Identifier: Apache-2.0
// live_event_log_bench LOG: reads the end of an event log as the collector does while the application runs. Then, for
// each line on standard input, reads what was added, and prints the milliseconds of reading it and of the application
// that a page shows.
#include <fmt/format.h>

#include <iostream>
#include <string>

#include "base/time.h"
#include "bench/process_usage.h"
#include "event_log/live_event_log.h"

namespace sparkprof {
namespace {

// The window of src/server/applications/application_cache.cc.
constexpr EventLogWindow kWindow{.recent_bytes = int64_t{256} << 20, .whole_bytes = int64_t{512} << 20};

double MillisSince(int64_t begin) {
  return static_cast<double>(MonotonicNanos() - begin) / static_cast<double>(kNanosPerMilli);
}

int Run(const std::string& path) {
  int64_t begin = MonotonicNanos();
  LiveEventLog log({path}, kWindow);
  const double opened_ms = MillisSince(begin);
  begin = MonotonicNanos();
  const size_t tasks = log.Snapshot().tasks.Size();
  fmt::print("{:.1f} {:.1f} {} {}\n", opened_ms, MillisSince(begin), tasks, PeakMebibytes());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    begin = MonotonicNanos();
    if (!log.Update({path})) return 1;
    const double read_ms = MillisSince(begin);
    begin = MonotonicNanos();
    const Application application = log.Snapshot();
    fmt::print("{:.2f} {:.2f} {} {}\n", read_ms, MillisSince(begin), application.tasks.Size(), PeakMebibytes());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace sparkprof

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: live_event_log_bench LOG\n");
    return 2;
  }
  return sparkprof::Run(argv[1]);
}
