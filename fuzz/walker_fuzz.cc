// SPDX-License-Identifier: Apache-2.0
// Any bytes as the memory of a Python process: the first byte chooses the version, the rest is the image, _PyRuntime at
// its start. What the walker accepts must be within its bounds; and the same whether it reads the image itself or,
// mapped at its address, by the kernel as another process's (a tenth as fast: one input of 16, by its bytes).
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cpython/frame_text.h"
#include "cpython/stack_walker.h"

namespace {

using namespace sparkprof;

constexpr uint64_t kBegin = 0x10000;

void Require(bool holds) {
  if (!holds) std::abort();
}

bool IsInside(std::string_view image, uint64_t address, size_t size) {
  return address >= kBegin && address - kBegin <= image.size() && size <= image.size() - (address - kBegin);
}

class ImageMemory : public PythonMemory {
 public:
  explicit ImageMemory(std::string_view image) : image_(image) {}

  bool Read(uint64_t address, void* bytes, size_t size) override {
    if (!IsInside(image_, address, size)) return false;
    std::memcpy(bytes, image_.data() + (address - kBegin), size);
    return true;
  }

 private:
  std::string_view image_;
};

// Whole pages at kBegin; false where the system does not let us have them.
bool MapImage(const std::string& image) {
  static size_t mapped = 0;
  if (mapped != 0) munmap(reinterpret_cast<void*>(kBegin), mapped);
  mapped = 0;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  void* const wanted = reinterpret_cast<void*>(kBegin);
  if (mmap(wanted, image.size(), PROT_READ | PROT_WRITE, flags, -1, 0) != wanted) return false;
  mapped = image.size();
  std::memcpy(wanted, image.data(), image.size());
  return true;
}

// The image where MapImage has put it; the rest of this process is none of its.
class MappedMemory : public ProcessMemory {
 public:
  explicit MappedMemory(std::string_view image) : ProcessMemory(getpid()), image_(image) {}

  bool Read(uint64_t address, void* bytes, size_t size) override {
    return IsInside(image_, address, size) && ProcessMemory::Read(address, bytes, size);
  }
  bool ReadOnce(uint64_t address, void* bytes, size_t size) override {
    return IsInside(image_, address, size) && ProcessMemory::ReadOnce(address, bytes, size);
  }
  bool ReadStable(uint64_t address, void* bytes, size_t size) override {
    return IsInside(image_, address, size) && ProcessMemory::ReadStable(address, bytes, size);
  }

 private:
  std::string_view image_;
};

struct Walked {
  WalkResult result;
  uint64_t shape;
  std::vector<RawFrame> frames;

  bool operator==(const Walked&) const = default;
};

std::vector<Walked> WalkAll(const CPythonLayout& layout, PythonMemory* memory) {
  std::vector<Walked> walked;
  StackWalker walker(layout, kBegin, 0, memory);
  memory->BeginSample();
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
    for (int sample = 0; sample < 4 && result == WalkResult::kTorn; ++sample) {
      memory->BeginSample();
      result = walker.Walk(threads[i], stack.get());
    }
    walked.push_back({result, stack->shape, {}});
    if (result != WalkResult::kGood) continue;
    Require(stack->depth > 0 && stack->depth <= kMaxFrames);
    walked.back().frames.assign(stack->frames, stack->frames + stack->depth);
    for (size_t frame = 0; frame < stack->depth && frame < 16; ++frame) {
      FrameReader::Text text;
      if (!reader->Read(layout, memory, stack->frames[frame], &text)) continue;
      Require(!text.function.empty() && !text.file.empty() && text.line >= 0);
    }
  }
  return walked;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  std::string image(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto layout =
      LayoutFor(3u << 24 | (9u + data[0] % 6u) << 16, std::string_view(image).substr(0, kDebugOffsetsSize));
  if (!layout) return 0;
  constexpr size_t kPage = 4096;
  image.resize((image.size() + kPage - 1) / kPage * kPage);
  ImageMemory memory(image);
  const std::vector<Walked> walked = WalkAll(*layout, &memory);
  uint8_t sum = 0;
  for (size_t i = 0; i < size; ++i) sum = static_cast<uint8_t>(sum + data[i]);
  if (sum % 16 != 0 || !MapImage(image)) return 0;
  const auto copied = std::make_unique<MappedMemory>(image);
  Require(WalkAll(*layout, copied.get()) == walked);
  return 0;
}
