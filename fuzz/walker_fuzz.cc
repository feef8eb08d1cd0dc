// SPDX-License-Identifier: Apache-2.0
// Any bytes as the memory of a Python process: the first byte chooses the version, the rest is the image, _PyRuntime at
// its start. What the walker accepts must be within its bounds.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "capture/cpython/frame_text.h"
#include "capture/cpython/stack_walker.h"

namespace {

using namespace sparkprof;

constexpr uint64_t kBegin = 0x10000;

void Require(bool holds) {
  if (!holds) std::abort();
}

class ImageMemory : public PythonMemory {
 public:
  explicit ImageMemory(std::string_view image) : image_(image) {}

  bool Read(uint64_t address, void* bytes, size_t size) override {
    if (address < kBegin || address - kBegin > image_.size() || size > image_.size() - (address - kBegin)) return false;
    std::memcpy(bytes, image_.data() + (address - kBegin), size);
    return true;
  }

 private:
  std::string_view image_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view image(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto layout = LayoutFor(3u << 24 | (9u + data[0] % 6u) << 16, image.substr(0, kDebugOffsetsSize));
  if (!layout) return 0;
  ImageMemory memory(image);
  StackWalker walker(*layout, kBegin, 0, &memory);
  uint64_t threads[16];
  const size_t count = walker.ListThreads(threads, 16);
  Require(count <= 16);
  walker.GilHolder();
  walker.CodeGeneration();
  static const auto stack = std::make_unique<RawStack>();
  static const auto reader = std::make_unique<FrameReader>();
  for (size_t i = 0; i < count; ++i) {
    // The base frame counts after several samples.
    WalkResult result = WalkResult::kTorn;
    for (int sample = 0; sample < 4 && result == WalkResult::kTorn; ++sample)
      result = walker.Walk(threads[i], stack.get());
    if (result != WalkResult::kGood) continue;
    Require(stack->depth > 0 && stack->depth <= kMaxFrames);
    for (size_t frame = 0; frame < stack->depth && frame < 16; ++frame) {
      FrameReader::Text text;
      if (!reader->Read(*layout, &memory, stack->frames[frame], &text)) continue;
      Require(!text.function.empty() && !text.file.empty() && text.line >= 0);
    }
  }
  return 0;
}
