// SPDX-License-Identifier: Apache-2.0
// Writes the seeds of the fuzz targets: write_seeds FOLDER makes FOLDER/jfr/*, FOLDER/ring/*, FOLDER/segment/* and
// FOLDER/walker/*.
#include <cstdio>
#include <cstring>
#include <string>

#include "base/io/file.h"
#include "cpython/layout.h"
#include "cpython/ring/ring_writer.h"
#include "formats/jfr/testing/example_chunk.h"
#include "model/segment/block.h"
#include "model/segment/segment_codec.h"
#include "model/testing/example_segment.h"

namespace {

// For ring_fuzz: a byte for "all is ring", then a small ring with one record of each kind.
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
  if (!writer.Publish()) return false;
  const auto ring = ReadFile(path);
  return ring && WriteFile(path, std::string(1, '\0') + *ring);
}

// Python 3.11 with one thread in f() of m.py, for walker_fuzz: the version's byte, then the image at address 0x10000.
std::string WalkerImage() {
  using namespace sparkprof;
  const CPythonLayout layout = *LayoutOfVersion(3, 11);
  std::string image(4096, '\0');
  const auto set = [&image](uint64_t at, uint64_t value) { std::memcpy(image.data() + at, &value, sizeof value); };
  constexpr uint64_t kBegin = 0x10000, kInterpreter = 0x400, kThread = 0x500, kCframe = 0x700, kFrame = 0x740;
  constexpr uint64_t kCode = 0x800, kText = 0x900, kTable = 0xA00;
  set(layout.interpreters_head, kBegin + kInterpreter);
  set(kInterpreter + layout.threads_head, kBegin + kThread);
  set(kThread + layout.thread_interpreter, kBegin + kInterpreter);
  set(kThread + layout.thread_frame, kBegin + kCframe);
  set(kCframe + layout.cframe_frame, kBegin + kFrame);
  set(kFrame + layout.frame_code, kBegin + kCode);
  set(kFrame + layout.frame_instruction, kBegin + kCode + layout.code_instructions);
  set(kCode + layout.code_first_line, 1);
  set(kCode + layout.code_qualname, kBegin + kText);
  set(kCode + layout.code_filename, kBegin + kText);
  set(kCode + layout.code_line_table, kBegin + kTable);
  set(kText + layout.text_length, 4);
  set(kText + layout.text_state, (1 | 8 | 16) << layout.text_kind_shift);
  std::memcpy(image.data() + kText + layout.text_ascii_size, "m.py", 4);
  set(kTable + layout.bytes_length, 2);
  std::memcpy(image.data() + kTable + layout.bytes_data, "\xd8\x02", 2);
  return std::string(1, '\2') + image;
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
  BlockPacker packer;
  packer.Add(ExampleSegment());
  const struct {
    const char* name;
    std::string content;
  } seeds[] = {
      {"jfr/async_profiler.jfr", async_profiler},
      {"jfr/jdk.jfr", jdk},
      {"walker/python311", WalkerImage()},
      {"jfr/two_chunks_and_a_cut_one.jfr", jdk + async_profiler + jdk.substr(0, 200)},
      {"segment/message", segment},
      {"segment/block", block},
      {"segment/packed_block", packer.Take()},
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
