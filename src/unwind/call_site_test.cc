// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "unwind/machine_code.h"

namespace sparkprof {
namespace {

class Bytes : public UnwindMemory {
 public:
  static constexpr uint64_t kAddress = 0x1000;
  explicit Bytes(std::string bytes) : bytes_(std::move(bytes)) {}
  uint64_t End() const { return kAddress + bytes_.size(); }
  bool ReadTable(uint64_t address, void* bytes, size_t size) override {
    if (address < kAddress || address + size > End()) return false;
    std::memcpy(bytes, bytes_.data() + (address - kAddress), size);
    return true;
  }
  bool ReadStack(uint64_t, void*, size_t) override { return false; }

 private:
  std::string bytes_;
};

// `code`: in hexadecimal, behind instructions that do nothing.
bool IsCall(const std::string& code) {
  std::string bytes(8, '\x90');
  for (size_t at = 0; at < code.size(); at += 3) bytes += static_cast<char>(std::stoi(code.substr(at, 2), nullptr, 16));
  Bytes memory(bytes);
  return IsBehindCall(memory.End(), &memory);
}

#if !defined(__aarch64__)
TEST(CallSite, CallsOfEachFormAreFound) {
  for (const std::string code : {
           "e8 10 20 30 40",        // call function
           "ff d0",                 // call *%rax
           "41 ff d4",              // call *%r12
           "ff 10",                 // call *(%rax)
           "ff 50 18",              // call *0x18(%rax)
           "ff 90 00 01 00 00",     // call *0x100(%rax)
           "ff 15 10 20 30 40",     // call *0x40302010(%rip)
           "ff 14 c8",              // call *(%rax,%rcx,8)
           "ff 14 c5 00 10 00 00",  // call *0x1000(,%rax,8)
           "ff 54 24 08",           // call *8(%rsp)
           "ff 94 24 00 01 00 00",  // call *0x100(%rsp)
       }) {
    EXPECT_TRUE(IsCall(code)) << code;
  }
}

TEST(CallSite, OtherInstructionsAreNoCalls) {
  for (const std::string code : {
           "90",                 // nop
           "ff e0",              // jmp *%rax
           "e9 10 20 30 40",     // jmp
           "ff 25 10 20 30 40",  // jmp *0x40302010(%rip)
           "ff c0",              // inc %eax
           "48 89 e5",           // mov %rsp, %rbp
           "ff 10 90",           // one byte behind a call
       }) {
    EXPECT_FALSE(IsCall(code)) << code;
  }
}
#endif

TEST(CallSite, CodeThatCannotBeReadIsNoCall) {
  Bytes memory("\xff\xd0");
  EXPECT_FALSE(IsBehindCall(memory.End(), &memory));
  EXPECT_FALSE(IsBehindCall(2, &memory));
}

}  // namespace
}  // namespace sparkprof
