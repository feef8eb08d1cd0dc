// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unwind/machine_code.h"

namespace sparkprof {
namespace {

// `code`: in hexadecimal; the rest is filled with int3.
X86Instruction Decode(const std::string& code) {
  std::vector<uint8_t> bytes;
  for (size_t at = 0; at < code.size(); at += 3)
    bytes.push_back(static_cast<uint8_t>(std::stoi(code.substr(at, 2), nullptr, 16)));
  bytes.resize(X86Instruction::kLongest, 0xCC);
  return DecodeX86(bytes.data());
}

TEST(X86Instruction, LengthsAreThoseOfADisassembler) {
  for (const std::string code : {
           "90",                             // nop
           "f3 0f 1e fa",                    // endbr64
           "41 57",                          // push %r15
           "48 83 ec 18",                    // sub $0x18,%rsp
           "48 81 ec 00 04 00 00",           // sub $0x400,%rsp
           "66 81 c1 34 12",                 // add $0x1234,%cx
           "48 b8 01 02 03 04 05 06 07 08",  // movabs
           "b8 01 02 03 04",                 // mov $,%eax
           "c7 44 24 14 00 00 80 3f",        // movl $,0x14(%rsp)
           "f6 c1 01",                       // test $1,%cl
           "f7 d8",                          // neg %eax
           "48 f7 c1 01 00 00 00",           // test $1,%rcx
           "48 8b 05 10 20 30 40",           // mov 0x40302010(%rip),%rax
           "48 8b 84 c8 00 01 00 00",        // mov 0x100(%rax,%rcx,8),%rax
           "48 8b 04 c5 00 10 00 00",        // mov 0x1000(,%rax,8),%rax
           "66 0f 3a 0f c1 08",              // palignr $8,%xmm1,%xmm0
           "f3 0f 10 44 24 08",              // movss 8(%rsp),%xmm0
           "0f 84 00 01 00 00",              // je
           "66 2e 0f 1f 84 00 00 00 00 00",  // nopw
           "c5 f8 77",                       // vzeroupper
           "c4 e2 6d b8 e9",                 // vfmadd231ps %ymm1,%ymm2,%ymm5
           "c4 c2 7d 18 57 a4",              // vbroadcastss -0x5c(%r15),%ymm2
           "c4 e3 7d 18 c1 01",              // vinsertf128 $1,%xmm1,%ymm0,%ymm0
           "62 f1 7c 48 10 40 01",           // vmovups 0x40(%rax),%zmm0
           "62 f2 6d 48 b8 e9",              // vfmadd231ps %zmm1,%zmm2,%zmm5
           "62 f3 fd 48 1b c1 01",           // vextractf64x4 $1,%zmm0,%ymm1
           "d9 44 24 08",                    // flds 8(%rsp)
           "c2 10 00",                       // ret $0x10
       }) {
    EXPECT_EQ(Decode(code).length, (code.size() + 1) / 3) << code;
  }
}

TEST(X86Instruction, OperandsAreThoseOfTheCode) {
  const X86Instruction load = Decode("4c 8b 6c 24 28");  // mov 0x28(%rsp),%r13
  EXPECT_TRUE(load.is_plain && load.is_64);
  EXPECT_EQ(load.opcode, 0x8B);
  EXPECT_EQ(load.reg, 13);
  EXPECT_EQ(load.base, 4);
  EXPECT_EQ(load.displacement, 0x28);
  const X86Instruction subtract = Decode("48 81 ec 00 04 00 00");
  EXPECT_EQ(subtract.mode, 3);
  EXPECT_EQ(subtract.reg, 5);
  EXPECT_EQ(subtract.base, 4);
  EXPECT_EQ(subtract.immediate, 0x400);
  const X86Instruction indexed = Decode("48 8b 4c 84 10");  // mov 0x10(%rsp,%rax,4),%rcx
  EXPECT_EQ(indexed.base, 16) << "not of the register alone";
  const X86Instruction jump = Decode("75 f0");
  EXPECT_TRUE(jump.is_jump_if);
  EXPECT_EQ(jump.immediate, -16);
}

TEST(X86Instruction, OtherBytesAreNoInstruction) {
  for (const std::string code :
       {"06", "ea", "d5 00", "62 f0 7c 48 10", "66 66 66 66 66 66 66 66 66 66 66 66 66 66 66"}) {
    EXPECT_EQ(Decode(code).length, 0u) << code;
  }
}

}  // namespace
}  // namespace sparkprof
