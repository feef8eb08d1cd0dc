// SPDX-License-Identifier: Apache-2.0
// How many samples one core takes in: decoding, storing durably, and the catalogue's entry.
//   ingest_bench [SAMPLES]          prints samples/s of each step, and bytes a sample
//   ingest_bench blocks JVMS COUNT [SAMPLES]  writes COUNT blocks of SAMPLES (2000) samples of each of JVMS JVMs to
//   standard
//                                   output, for collector_load and for large applications; ten JVMs are one application
#include <fmt/format.h>
#include <sys/resource.h>

#include <filesystem>
#include <random>
#include <string_view>
#include <vector>

#include "analysis/answers.h"
#include "base/time.h"
#include "catalogue/catalogue_entry.h"
#include "catalogue/duckdb/duckdb_catalogue.h"
#include "model/segment/block.h"
#include "recording/recordings.h"
#include "server/folders/fetched_files.h"
#include "server/folders/recording_directory.h"
#include "server/ingest/recording_store.h"

namespace sparkprof {
namespace {

constexpr int64_t kStart = 1'763'800'000;  // s
constexpr size_t kStacks = 2'000;

// A block of a JVM as it sends one every 10 s: 16 threads with some dozen stacks each second.
std::string MakeBlock(const std::string& application, int64_t pid, uint64_t sequence, size_t samples) {
  std::mt19937_64 random(static_cast<uint64_t>(pid) * 1'000'003 + sequence);
  Segment segment;
  segment.source = {application, "",   "load",  std::to_string(pid), "host",   "boot",    pid, pid,
                    "4.1.1",     "17", "0.1.0", kNanosPerSecond,     sequence, "executor"};
  const int64_t second = kStart + static_cast<int64_t>(sequence) * 10;
  segment.anchors = {{static_cast<int64_t>(sequence) * 10 * kNanosPerSecond + 1, second * kNanosPerSecond}};
  std::vector<FrameId> frames;
  for (size_t i = 0; i < 500; ++i) {
    frames.push_back(segment.frames.Intern(
        {segment.strings.Intern(fmt::format("org.example.package{}.Class{}.method{}", i % 7, i % 41, i)), 0, 0,
         FrameKind::kJit}));
  }
  std::vector<StackId> stacks;
  for (size_t i = 0; i < kStacks / 10; ++i) {
    StackId stack = 0;
    for (size_t depth = 0; depth < 40; ++depth)
      stack = segment.stacks.Push(stack, frames[depth < 30 ? depth : (i * 31 + depth) % frames.size()]);
    stacks.push_back(stack);
  }
  for (int64_t thread = 0; thread < 16; ++thread)
    segment.threads.push_back({100 + thread, segment.strings.Intern("Executor task launch worker")});
  for (size_t i = 0; i < samples; ++i) {
    SegmentSample sample;
    sample.bucket = second + static_cast<int64_t>(i * 10 / samples);
    sample.event = random() % 3 == 0 ? Event::kCpu : Event::kWall;
    sample.category = Category::kTask;
    sample.state = ThreadState::kRunning;
    sample.thread = static_cast<uint32_t>(random() % 16);
    sample.task = static_cast<int64_t>(sequence * 16 + sample.thread);
    sample.stack = stacks[random() % stacks.size()];
    sample.weight = 10'000'000;
    sample.count = 1;
    segment.samples.push_back(sample);
  }
  return EncodeBlock(segment);
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

uint64_t FolderBytes(const std::string& folder) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

int WriteBlocks(int64_t jvms, uint64_t count, size_t samples) {
  for (int64_t jvm = 0; jvm < jvms; ++jvm) {
    for (uint64_t block = 0; block < count; ++block) {
      const std::string bytes = MakeBlock(fmt::format("app-load-{:04}", jvm / 10), jvm + 1, block, samples);
      if (fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) return 1;
    }
  }
  return 0;
}

int Measure(size_t total) {
  constexpr size_t kSamples = 10'000;
  const std::string folder =
      (std::filesystem::temp_directory_path() / fmt::format("sparkprof-ingest-{}", getpid())).string();
  std::vector<std::string> blocks;
  for (uint64_t block = 0; block * kSamples < total; ++block) {
    blocks.push_back(MakeBlock("app-load", static_cast<int64_t>(block % 10) + 1, block / 10, kSamples));
  }
  FetchedFiles fetched(folder + "/fetched", 0);
  RecordingDirectory directory(&fetched);
  auto store = RecordingStore::Open(
      folder, [&](const std::map<std::string, std::string>& applications) { directory.Note(applications); });
  auto catalogue = OpenDuckdbCatalogue(folder + "/catalogue.duckdb");
  if (!store || !catalogue) return 1;
  double cpu = CpuSeconds();
  int64_t wall = MonotonicNanos();
  uint64_t samples = 0;
  for (const std::string& block : blocks) samples += (*store)->Accept(block).samples;
  const double stored_cpu = CpuSeconds() - cpu, stored_wall = static_cast<double>(MonotonicNanos() - wall) / 1e9;
  cpu = CpuSeconds();
  wall = MonotonicNanos();
  std::vector<std::string> paths;
  const std::optional<RecordedFiles> found = directory.Find("app-load");
  for (const StoredFile& file : found->files) paths.push_back(file.name);
  const Result<Recording> recording = ReadRecordings(paths);
  if (!recording) return 1;
  const Application& application = recording->applications.front();
  const Result<void> put = (*catalogue)->Put(MakeCatalogueEntry(application, Answer(application), {}));
  if (!put) return 1;
  const double entry_cpu = CpuSeconds() - cpu, entry_wall = static_cast<double>(MonotonicNanos() - wall) / 1e9;
  catalogue->reset();
  fmt::print(
      "samples {}\nstore: {:.2f} M samples/s of CPU, {:.2f} M/s of wall time\nentry: {:.2f} M samples/s of CPU, {:.2f} "
      "M/s of wall time\n"
      "both: {:.2f} M samples/s of CPU\n{:.1f} bytes a sample\n",
      samples, static_cast<double>(samples) / stored_cpu / 1e6, static_cast<double>(samples) / stored_wall / 1e6,
      static_cast<double>(samples) / entry_cpu / 1e6, static_cast<double>(samples) / entry_wall / 1e6,
      static_cast<double>(samples) / (stored_cpu + entry_cpu) / 1e6,
      static_cast<double>(FolderBytes(folder)) / static_cast<double>(samples));
  store->reset();
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace sparkprof

int main(int argc, char** argv) {
  if (argc >= 4 && std::string_view(argv[1]) == "blocks") {
    return sparkprof::WriteBlocks(std::atoll(argv[2]), static_cast<uint64_t>(std::atoll(argv[3])),
                                  argc > 4 ? static_cast<size_t>(std::atoll(argv[4])) : 2'000);
  }
  return sparkprof::Measure(argc > 1 ? static_cast<size_t>(std::atoll(argv[1])) : 5'000'000);
}
