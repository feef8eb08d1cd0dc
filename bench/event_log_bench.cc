// SPDX-License-Identifier: Apache-2.0
// event_log_bench LOG…: reads each uncompressed event log into an application, with everything the engine knows, and
// prints wall time, CPU time, rate and peak memory (the log's pages, which are mapped, included).
#include <fmt/format.h>

#include "base/io/file.h"
#include "base/time.h"
#include "bench/process_usage.h"
#include "event_log/event_reader.h"

namespace sparkprof {
namespace {

constexpr double kMega = 1e6;

bool Measure(const std::string& path) {
  const Result<MappedFile> file = MappedFile::Open(path);
  if (!file) {
    fmt::print(stderr, "{}\n", file.error().message);
    return false;
  }
  const int64_t wall_before = MonotonicNanos();
  const int64_t cpu_before = CpuNanos();
  Application application;
  EventReader reader(&application);
  reader.AddLines(file->Bytes());
  reader.Finish();
  const double wall_s = static_cast<double>(MonotonicNanos() - wall_before) / kNanosPerSecond;
  const double cpu_s = static_cast<double>(CpuNanos() - cpu_before) / kNanosPerSecond;
  const double megabytes = static_cast<double>(file->Bytes().size()) / kMega;
  fmt::print("{}: {:.0f} MB, {} tasks, {:.3f} s, {:.0f} MB/s, CPU {:.3f} s, {:.0f} MB/s, peak {} MiB\n", path,
             megabytes, application.tasks.Size(), wall_s, megabytes / wall_s, cpu_s, megabytes / cpu_s,
             PeakMebibytes());
  return true;
}

}  // namespace
}  // namespace sparkprof

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: event_log_bench LOG…\n");
    return 2;
  }
  for (int argument = 1; argument < argc; ++argument) {
    if (!sparkprof::Measure(argv[argument])) return 2;
  }
  return 0;
}
