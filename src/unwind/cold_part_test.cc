// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "unwind/loaded_objects.h"
#include "unwind/machine_code.h"

#if !defined(__aarch64__)

// A function whose rest is elsewhere, and one that ends with a call of another.
asm(R"(
  .text
TestTailCalls:
  .cfi_startproc
  jmp TestHasColdPart
  .cfi_endproc
TestColdPart:
  .cfi_startproc
  nop
1:
  ret
  .cfi_endproc
TestHasColdPart:
  .cfi_startproc
  test %edi, %edi
  jne 2f
  jmp 1b
2:
  ret
  .cfi_endproc
)");
extern "C" void TestTailCalls();
extern "C" void TestColdPart();
extern "C" void TestHasColdPart();

namespace sparkprof {
namespace {

class OwnMemory : public UnwindMemory {
 public:
  bool ReadTable(uint64_t address, void* bytes, size_t size) override {
    std::memcpy(bytes, reinterpret_cast<const void*>(address), size);
    return true;
  }
  bool ReadStack(uint64_t, void*, size_t) override { return false; }
};

TEST(ColdPart, IsFoundByTheJumpIntoIt) {
  OwnMemory memory;
  LoadedObjects objects(&memory);
  objects.Refresh();
  const auto cold_part = [&](void (*function)()) {
    const auto address = reinterpret_cast<uint64_t>(function);
    return FindColdPart(objects.Find(address)->index, address, &memory);
  };
  EXPECT_EQ(cold_part(TestHasColdPart), reinterpret_cast<uint64_t>(TestColdPart));
  EXPECT_EQ(cold_part(TestColdPart), 0u);
  EXPECT_EQ(cold_part(TestTailCalls), 0u) << "another function is no part";
}

}  // namespace
}  // namespace sparkprof

#endif
