// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/io/file.h"
#include "cpython/ring/ring_reader.h"

namespace {

// Touches every byte that it is given.
struct Touch : sparkprof::RingHandler {
  void OnCode(const sparkprof::RingCode& code, std::string_view function, std::string_view file) override {
    if (code.code >= sparkprof::kRingMaxCodes) __builtin_trap();
    Read(function);
    Read(file);
  }
  void OnSample(const sparkprof::RingSample& sample, const sparkprof::RingFrame* frames) override {
    for (size_t i = 0; i < sample.frames; ++i) sum += frames[i].code + frames[i].line;
  }
  void OnTaskBegin(const sparkprof::RingTaskBegin&) override {}
  void OnTaskEnd(const sparkprof::RingTaskEnd&) override {}
  void OnUdf(const sparkprof::RingUdf&, std::string_view function, std::string_view file) override {
    Read(function);
    Read(file);
  }
  void OnNotice(uint16_t, std::string_view text) override { Read(text); }

  void Read(std::string_view text) {
    for (const char c : text) sum += static_cast<unsigned char>(c);
  }
  uint64_t sum = 0;
};

}  // namespace

// The first byte gives the size of the ring file; the rest is written over it, at places that it names,
// while the ring is read: three bytes of place, one of length, and so many bytes; without any the file is cut there.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sparkprof;
  if (size == 0) return 0;
  char path[] = "/dev/shm/sparkprof-ring-fuzz-XXXXXX";  // in memory: on a disk the file system would take all the time
  const FileDescriptor file(mkstemp(path));
  if (!file.IsOpen()) return 0;
  const size_t ring_size = (size - 1) * (256 - data[0]) / 256;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool written = WriteAll(file.Get(), rest.substr(0, ring_size), path).has_value();
  rest.remove_prefix(ring_size);
  if (auto reader = RingReader::Open(path); written && reader) {
    Touch touch;
    reader->Drain(&touch);
    while (rest.size() >= 4) {
      const auto byte = [&](size_t i) { return static_cast<uint8_t>(rest[i]); };
      const off_t place = byte(0) | byte(1) << 8 | byte(2) << 16;
      const size_t length = std::min<size_t>(byte(3), rest.size() - 4);
      const bool done = length == 0
                            ? ftruncate(file.Get(), place) == 0
                            : pwrite(file.Get(), rest.data() + 4, length, place) == static_cast<ssize_t>(length);
      if (!done) break;
      rest.remove_prefix(4 + length);
      reader->Drain(&touch);
    }
    reader->Drain(&touch);
  }
  unlink(path);
  return 0;
}
