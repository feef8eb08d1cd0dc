// SPDX-License-Identifier: Apache-2.0
// jfr_bench [FILE…]: reads each JFR file five times and prints the best run. Without a file, two synthetic recordings
// of 100 MB: one of few samples for each of many deep stacks, one of many samples of few stacks.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "base/io/file.h"
#include "base/time.h"
#include "bench/process_usage.h"
#include "formats/jfr/testing/example_chunk.h"
#include "formats/jfr_profile/jfr_profile_reader.h"

namespace sparkprof {
namespace {

using testing::JfrChunkWriter;
using testing::Varint;

constexpr int kRuns = 5;
constexpr double kMega = 1e6;

bool Measure(const std::string& path, const std::string& label) {
  const double megabytes = static_cast<double>(std::filesystem::file_size(path)) / kMega;
  int64_t best_cpu = 0;
  int64_t best_wall = 0;
  int64_t samples = 0;
  size_t nodes = 0;
  for (int run = 0; run < kRuns; ++run) {
    const int64_t wall_before = MonotonicNanos();
    const int64_t cpu_before = CpuNanos();
    ProfileBuilder builder({.name = path});
    const Result<MappedFile> file = MappedFile::Open(path);
    const Result<void> status = file ? ReadJfrProfileFile(*file, &builder) : tl::unexpected(file.error());
    const Profile profile = builder.Take();
    const int64_t cpu = CpuNanos() - cpu_before;
    const int64_t wall = MonotonicNanos() - wall_before;
    if (!status) {
      fmt::print(stderr, "{}\n", status.error().message);
      return false;
    }
    nodes = profile.stacks.Size();
    samples = 0;
    for (const Sample& sample : profile.samples) samples += sample.count;
    best_cpu = run == 0 ? cpu : std::min(best_cpu, cpu);
    best_wall = run == 0 ? wall : std::min(best_wall, wall);
  }
  const double cpu_s = static_cast<double>(best_cpu) / kNanosPerSecond;
  const double wall_s = static_cast<double>(best_wall) / kNanosPerSecond;
  fmt::print(
      "{}: {:.0f} MB, {} samples, {} stack nodes, {:.3f} s, CPU {:.3f} s, {:.0f} MB/s, {:.2f} M samples/s, peak {} "
      "MiB\n",
      label, megabytes, samples, nodes, wall_s, cpu_s, megabytes / cpu_s, static_cast<double>(samples) / cpu_s / kMega,
      PeakMebibytes());
  return true;
}

// A chunk with `stacks` random stacks of `depth` frames and `samples` samples of them.
std::string SyntheticChunk(uint64_t stacks, uint64_t depth, uint64_t samples) {
  std::mt19937_64 random(1);
  JfrChunkWriter chunk;
  chunk.Type("jdk.ExecutionSample", {{"startTime", "long"},
                                     {"sampledThread", "java.lang.Thread", true},
                                     {"stackTrace", "jdk.types.StackTrace", true},
                                     {"state", "jdk.types.ThreadState", true}});
  testing::AddExampleConstants(testing::Writer::kAsyncProfiler, &chunk);
  constexpr uint64_t kMethods = 2000;
  for (uint64_t key = 100; key < 100 + kMethods; ++key) {
    chunk.Symbol(key, "method" + std::to_string(key));
    chunk.Method(key, 1, key);
  }
  std::vector<JfrChunkWriter::Frame> frames(depth);
  for (uint64_t key = 1000; key < 1000 + stacks; ++key) {
    // Stacks agree at the root and part later, each at its own frame.
    const uint64_t own_frames = random() % depth;
    for (uint64_t i = 0; i < own_frames; ++i) {
      frames[i] = {.method = 100 + random() % kMethods, .line = 1 + random() % 4, .type = 1};
    }
    chunk.StackTrace(key, frames);
  }
  uint64_t ticks = 1'000'000'000;
  for (uint64_t i = 0; i < samples; ++i) {
    chunk.Event("jdk.ExecutionSample", {{"startTime", Varint(ticks += 100'000)},
                                        {"sampledThread", Varint(77 + i % 2)},
                                        {"stackTrace", Varint(1000 + random() % stacks)},
                                        {"state", Varint(1)}});
  }
  return chunk.Finish();
}

bool MeasureSynthetic(const std::string& chunk, const std::string& label) {
  constexpr size_t kFileSize = 100'000'000;
  const std::string path = std::filesystem::temp_directory_path() / ("sparkprof_jfr_bench_" + std::to_string(getpid()));
  std::string content;
  content.reserve(kFileSize + chunk.size());
  while (content.size() < kFileSize) content += chunk;
  if (const auto written = WriteFile(path, content); !written) {
    fmt::print(stderr, "{}\n", written.error().message);
    return false;
  }
  content = {};
  const bool measured = Measure(path, label);
  std::filesystem::remove(path);
  return measured;
}

}  // namespace
}  // namespace sparkprof

int main(int argc, char** argv) {
  using namespace sparkprof;
  for (int argument = 1; argument < argc; ++argument) {
    if (!Measure(argv[argument], argv[argument])) return 2;
  }
  if (argc > 1) return 0;
  const bool measured = MeasureSynthetic(SyntheticChunk(20'000, 60, 50'000), "many deep stacks") &&
                        MeasureSynthetic(SyntheticChunk(1'500, 60, 500'000), "many samples of few stacks");
  return measured ? 0 : 2;
}
