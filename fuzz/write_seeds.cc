// SPDX-License-Identifier: Apache-2.0
// Writes the seeds of the fuzz targets: write_seeds FOLDER makes FOLDER/jfr/*, FOLDER/ring/* and FOLDER/segment/*.
#include <cstdio>
#include <string>

#include "base/file.h"
#include "capture/python_ring/ring_writer.h"
#include "formats/jfr/testing/example_chunk.h"
#include "model/block.h"
#include "model/segment_codec.h"
#include "model/testing/example_segment.h"

namespace {

// A small ring with one record of each kind, written to `path`.
bool WriteRing(const std::string& path) {
  using namespace sparkprof;
  std::remove(path.c_str());
  RingWriter writer;
  if (!writer.Create(path.c_str(), 4711, 99, 10'000'000, 1, kRingMinDataBytes)) return false;
  RingTaskBegin begin{};
  begin.task = 7;
  writer.AddTaskBegin(begin);
  writer.AddUdf(7, 200, "score", "job.py", 12);
  writer.AddCode(1, "score", "job.py", 12);
  RingSample sample{};
  sample.task = 7;
  sample.cpu_ns = sample.wall_ns = 10'000'000;
  sample.frames = 1;
  const RingFrame frame{1, 13};
  writer.AddSample(sample, &frame);
  writer.AddNotice(1, "text");
  RingTaskEnd end{};
  end.task = 7;
  writer.AddTaskEnd(end);
  return writer.Publish();
}

}  // namespace

int main(int argument_count, char** arguments) {
  using namespace sparkprof;
  using testing::ExampleChunk;
  using testing::Writer;
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: write_seeds FOLDER\n");
    return 2;
  }
  const std::string folder = arguments[1];
  const std::string async_profiler = ExampleChunk(Writer::kAsyncProfiler);
  const std::string jdk = ExampleChunk(Writer::kJdk, {.reverse_fields = true, .ticks_per_second = 2'500'000'000});
  const std::string segment = EncodeSegment(ExampleSegment());
  const std::string block = EncodeBlock(ExampleSegment());
  const struct {
    const char* name;
    std::string content;
  } seeds[] = {
      {"jfr/async_profiler.jfr", async_profiler},
      {"jfr/jdk.jfr", jdk},
      {"jfr/two_chunks_and_a_cut_one.jfr", jdk + async_profiler + jdk.substr(0, 200)},
      {"segment/message", segment},
      {"segment/block", block},
      {"segment/two_blocks_and_a_cut_one", block + block + block.substr(0, 40)},
  };
  for (const auto& seed : seeds) {
    if (const auto written = WriteFile(folder + "/" + seed.name, seed.content); !written) {
      std::fprintf(stderr, "%s\n", written.error().message.c_str());
      return 1;
    }
  }
  if (!WriteRing(folder + "/ring/one_of_each.ring")) {
    std::perror("ring");
    return 1;
  }
  return 0;
}
