// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "unwind/call_frames.h"

namespace sparkprof {
namespace {

class Words : public UnwindMemory {
 public:
  bool ReadTable(uint64_t, void*, size_t) override { return false; }
  bool ReadStack(uint64_t address, void* bytes, size_t size) override {
    if (address != 0x1000 || size > sizeof word) return false;
    std::memcpy(bytes, &word, size);
    return true;
  }
  uint64_t word = 0x1122334455667788;
};

std::optional<uint64_t> Value(const std::string& expression, const Registers& registers = {},
                              std::optional<uint64_t> initial = std::nullopt) {
  Words words;
  return EvaluateExpression(expression, registers, initial, &words);
}

TEST(Expression, AddsToARegisterAndLoads) {
  Registers registers;
  registers.Set(kFramePointer, 0x1010);
  const std::string frame_pointer_minus_16 = {static_cast<char>(0x70 + kFramePointer), 0x70};
  EXPECT_EQ(Value(frame_pointer_minus_16, registers), 0x1000u);
  EXPECT_EQ(Value(frame_pointer_minus_16 + "\x06", registers), 0x1122334455667788u);
  EXPECT_EQ(Value(frame_pointer_minus_16 + "\x94\x01", registers), 0x88u);
  EXPECT_EQ(Value(frame_pointer_minus_16), std::nullopt) << "an unknown register";
}

TEST(Expression, ComputesTheFrameOfAPltEntry) {
  // For an entry of 16 bytes that pushes a word behind its eleventh: sp + 8 + (((pc & 15) >= 11) << 3).
  const std::string entry = {0x77, 0x08, static_cast<char>(0x80), 0x00, 0x3F, 0x1A, 0x3B, 0x2A, 0x33, 0x24, 0x22};
  Registers registers;
  registers.Set(7, 0x8000);
  registers.Set(16, 0x400006);
  EXPECT_EQ(Value(entry, registers), 0x8008u);
  registers.Set(16, 0x40000B);
  EXPECT_EQ(Value(entry, registers), 0x8010u);
}

TEST(Expression, StartsWithTheFrameAddress) { EXPECT_EQ(Value("\x23\x08", {}, 0x20), 0x28u); }

TEST(Expression, DamagedAndEndlessOnesHaveNoValue) {
  EXPECT_EQ(Value(""), std::nullopt);
  EXPECT_EQ(Value("\x22"), std::nullopt) << "an empty stack";
  EXPECT_EQ(Value("\x0C\x01"), std::nullopt) << "truncated";
  EXPECT_EQ(Value("\xFF"), std::nullopt) << "unknown";
  EXPECT_EQ(Value("\x30\x2F\xFC\xFF"), std::nullopt) << "a loop";
  EXPECT_EQ(Value("\x2F\x10\x10"), std::nullopt) << "a jump out of it";
  EXPECT_EQ(Value(std::string(64, '\x31')), std::nullopt) << "too many values";
}

}  // namespace
}  // namespace sparkprof
