// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/file.h"
#include "capture/python_ring/ring_reader.h"

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

// The input as a ring file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sparkprof;
  char path[] = "/tmp/sparkprof-ring-fuzz-XXXXXX";
  const FileDescriptor file(mkstemp(path));
  if (!file.IsOpen()) return 0;
  if (WriteAll(file.Get(), {reinterpret_cast<const char*>(data), size}, path)) {
    if (auto reader = RingReader::Open(path)) {
      Touch touch;
      reader->Drain(&touch);
      reader->Drain(&touch);
    }
  }
  unlink(path);
  return 0;
}
