// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "unwind/machine_code.h"
#include "unwind/registers.h"

#if !defined(__aarch64__)

namespace sparkprof {
namespace {

using Kind = UnwindRow::Kind;
constexpr int kRbx = 3, kR12 = 12;

class Code : public UnwindMemory {
 public:
  static constexpr uint64_t kAddress = 0x10000;
  // In hexadecimal.
  explicit Code(const std::string& code) {
    for (size_t at = 0; at < code.size(); at += 3)
      bytes_ += static_cast<char>(std::stoi(code.substr(at, 2), nullptr, 16));
  }
  bool ReadTable(uint64_t address, void* bytes, size_t size) override {
    if (address < kAddress || address + size > kAddress + bytes_.size()) return false;
    std::memcpy(bytes, bytes_.data() + (address - kAddress), size);
    return true;
  }
  bool ReadStack(uint64_t, void*, size_t) override { return false; }
  bool Find(UnwindRow* row) { return FindRowInCode(kAddress, this, row); }

 private:
  std::string bytes_;
};

void ExpectCfa(const UnwindRow& row, int number, int offset) {
  EXPECT_EQ(row.cfa.kind, Kind::kRegisterOffset);
  EXPECT_EQ(row.cfa.number, number);
  EXPECT_EQ(row.cfa.value, offset);
  EXPECT_EQ(row.rules[kReturnAddress].kind, Kind::kAtOffset);
  EXPECT_EQ(row.rules[kReturnAddress].value, -8);
  EXPECT_TRUE(row.is_guess);
}

void ExpectSaved(const UnwindRow& row, int number, int offset) {
  EXPECT_EQ(row.rules[number].kind, Kind::kAtOffset) << number;
  EXPECT_EQ(row.rules[number].value, offset) << number;
}

TEST(CodeRow, ALeafFunctionReturnsToTheTopOfTheStack) {
  UnwindRow row;
  ASSERT_TRUE(Code("01 d0 c3").Find(&row));  // add %edx,%eax; ret
  ExpectCfa(row, kStackPointer, 8);
  EXPECT_EQ(row.rules[kFramePointer].kind, Kind::kSame);
  EXPECT_EQ(row.rules[kRbx].kind, Kind::kSame);
  EXPECT_EQ(row.rules[0].kind, Kind::kUndefined) << "functions need not restore rax";
}

TEST(CodeRow, RegistersAreWhereTheyAreRestoredFrom) {
  UnwindRow row;
  // jne back; mov 8(%rsp),%rbx; add $0x18,%rsp; pop %r12; pop %rbp; ret
  ASSERT_TRUE(Code("75 f0 48 8b 5c 24 08 48 83 c4 18 41 5c 5d c3").Find(&row));
  ExpectCfa(row, kStackPointer, 0x18 + 8 + 8 + 8);
  ExpectSaved(row, kRbx, 8 - 0x30);
  ExpectSaved(row, kR12, 0x18 - 0x30);
  ExpectSaved(row, kFramePointer, 0x20 - 0x30);
}

TEST(CodeRow, AFramePointerLeadsToTheReturnAddress) {
  UnwindRow row;
  ASSERT_TRUE(
      Code("48 8d 65 f0 5b 41 5c 5d c3").Find(&row));  // lea -0x10(%rbp),%rsp; pop %rbx; pop %r12; pop %rbp; ret
  ExpectCfa(row, kFramePointer, 16);
  ExpectSaved(row, kRbx, -0x20);
  ExpectSaved(row, kFramePointer, -16);
  ASSERT_TRUE(Code("c9 c3").Find(&row));  // leave; ret
  ExpectCfa(row, kFramePointer, 16);
  ASSERT_TRUE(Code("55 48 89 e5 48 83 e4 c0 53 5b c9 c3").Find(&row));  // push; mov %rsp,%rbp; and $-64,%rsp; …; leave
  ExpectCfa(row, kStackPointer, 8);
}

TEST(CodeRow, WhatIsPushedAndPoppedLaterIsNoPartOfTheFrame) {
  UnwindRow row;
  ASSERT_TRUE(Code("53 e8 00 00 00 00 5b 48 83 c4 08 c3").Find(&row));  // push %rbx; call; pop %rbx; add $8,%rsp; ret
  ExpectCfa(row, kStackPointer, 16);
  EXPECT_EQ(row.rules[kRbx].kind, Kind::kSame);
}

TEST(CodeRow, LoopsAndDeadEndsAreLeftByTheirJumps) {
  UnwindRow row;
  // je 4 ahead; nop; nop; jmp to the start; pop %rbp; ret
  ASSERT_TRUE(Code("74 04 90 90 eb fa 5d c3").Find(&row));
  ExpectCfa(row, kStackPointer, 16);
  ASSERT_TRUE(Code("74 02 0f 0b c3").Find(&row));  // je 2 ahead; ud2; ret
  ExpectCfa(row, kStackPointer, 8);
  // jmp 4 ahead; pop %rbx; pop %rbp; ret; nop; je to the first pop; ud2
  ASSERT_TRUE(Code("eb 04 5b 5d c3 90 74 fa 0f 0b").Find(&row));
  ExpectCfa(row, kStackPointer, 24);
}

TEST(CodeRow, CodeWithoutAReturnHasNoRow) {
  UnwindRow row;
  for (const std::string code : {"90", "eb fe", "ff e0", "0f 0b", "06", "48 83 e4 c0 c3", "48 8b 64 24 08 c3"}) {
    EXPECT_FALSE(Code(code).Find(&row)) << code;
  }
}

}  // namespace
}  // namespace sparkprof

#endif
