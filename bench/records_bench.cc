// SPDX-License-Identifier: Apache-2.0
// records_bench FILE…: reads the records of each uncompressed file three times, once with every curve and stack window
// (for a recording), once with what `sparkprof show metrics` and once with what `sparkprof convert --records` needs,
// and prints the times, rates and peak memory (the file's pages, which are mapped, included).
#include <fmt/format.h>

#include "base/io/file.h"
#include "base/time.h"
#include "bench/process_usage.h"
#include "formats/record_reader.h"

namespace sparkprof {
namespace {

constexpr double kMega = 1e6;

void Measure(std::string_view what, std::string_view bytes, RecordReadOptions options) {
  const int64_t wall_before = MonotonicNanos();
  const int64_t cpu_before = CpuNanos();
  ProfilerRecords records;
  RecordReader reader(&records, options);
  reader.AddLines(bytes);
  reader.Finish();
  const double cpu_s = static_cast<double>(CpuNanos() - cpu_before) / kNanosPerSecond;
  const double wall_s = static_cast<double>(MonotonicNanos() - wall_before) / kNanosPerSecond;
  const double megabytes = static_cast<double>(bytes.size()) / kMega;
  fmt::print("  {:10} {} records, {} damaged, {:.3f} s, {:.0f} MB/s, CPU {:.3f} s, {:.0f} MB/s, peak {} MiB\n", what,
             records.RecordCount(), records.damaged_lines, wall_s, megabytes / wall_s, cpu_s, megabytes / cpu_s,
             PeakMebibytes());
}

}  // namespace
}  // namespace sparkprof

int main(int argc, char** argv) {
  using sparkprof::Measure;
  if (argc < 2) {
    fmt::print(stderr, "usage: records_bench FILE…\n");
    return 2;
  }
  for (int argument = 1; argument < argc; ++argument) {
    const auto file = sparkprof::MappedFile::Open(argv[argument]);
    if (!file) {
      fmt::print(stderr, "{}\n", file.error().message);
      return 2;
    }
    fmt::print("{}: {:.1f} MB\n", argv[argument], static_cast<double>(file->Bytes().size()) / 1e6);
    Measure("fold", file->Bytes(), {.series = false, .stack_windows = false});
    Measure("metrics", file->Bytes(), {.details = false, .stacks = false});
    Measure("everything", file->Bytes(), {});
  }
  return 0;
}
