// SPDX-License-Identifier: Apache-2.0
// Any bytes as the memory of a library, its .eh_frame_hdr at the start: a sampled thread whose pc is in it, and whose
// stack is in it as well. Whatever is found must be within bounds, and nothing may be read outside of the image. The
// same bytes as an ELF file must not be believed either.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "unwind/function_symbols.h"
#include "unwind/stack_unwinder.h"

namespace {

using namespace sparkprof;

constexpr uint64_t kBegin = 0x10000;

class Image : public UnwindMemory, public ObjectFinder {
 public:
  explicit Image(std::string_view bytes) : bytes_(bytes) {
    object_.begin = kBegin;
    object_.end = kBegin + bytes.size();
    if (!ReadUnwindIndex(kBegin, this, &object_.index)) object_.index = {};
  }

  bool ReadTable(uint64_t address, void* bytes, size_t size) override {
    const uint64_t offset = address - kBegin;
    if (offset > bytes_.size() || size > bytes_.size() - offset) return false;
    std::memcpy(bytes, bytes_.data() + offset, size);
    return true;
  }
  bool ReadStack(uint64_t address, void* bytes, size_t size) override { return ReadTable(address, bytes, size); }
  const LoadedObject* Find(uint64_t pc) override {
    return pc >= object_.begin && pc < object_.end ? &object_ : nullptr;
  }

 private:
  std::string_view bytes_;
  LoadedObject object_;
};

void ReadAsFile(std::string_view bytes, uint64_t address) {
  static const int file = memfd_create("fuzz", MFD_CLOEXEC);
  if (ftruncate(file, 0) != 0 || pwrite(file, bytes.data(), bytes.size(), 0) < 0) return;
  const auto symbols = FunctionSymbols::Open("/proc/self/fd/" + std::to_string(file));
  if (symbols) FunctionOfSymbol(symbols->SymbolAt(address));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Image image(bytes);
  static const auto unwinder_memory = std::make_unique<char[]>(sizeof(StackUnwinder));
  auto* const unwinder = new (unwinder_memory.get()) StackUnwinder(&image, &image);
  StackUnwinder::Stack stack;
  // Within the image, as its last bytes have it.
  uint64_t start = 0;
  if (size >= sizeof start) std::memcpy(&start, data + size - sizeof start, sizeof start);
  Registers registers;
  registers.pc = kBegin + (size == 0 ? 0 : start % size);
  for (int i = 0; i < kRegisters; ++i) registers.Set(i, kBegin + static_cast<uint64_t>(i) * 8);
  unwinder->Unwind(registers, &stack);
  if (stack.depth == 0 || stack.depth > StackUnwinder::kMaxFrames) std::abort();
  ReadAsFile(bytes, start);
  FunctionOfSymbol(bytes.substr(0, 1000));
  return 0;
}
