// SPDX-License-Identifier: Apache-2.0
#include "unwind/stack_unwinder.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "unwind/function_symbols.h"
#include "unwind/loaded_objects.h"

namespace sparkprof {
namespace {

Registers interrupted;
std::vector<char> stack_copy;
uint64_t stack_begin = 0;
uint64_t stack_end = 0;  // end of the thread's stack
size_t copied = 0;

// This process's memory, and the stack as it was when the signal came.
class SelfMemory : public UnwindMemory {
 public:
  bool ReadTable(uint64_t address, void* bytes, size_t size) override {
    const iovec to{bytes, size}, from{reinterpret_cast<void*>(address), size};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(size)) return false;
    const auto number = reads_++;
    if (size > 0 && damage_ != 0 && number % damage_ == damage_ - 1)
      static_cast<char*>(bytes)[random_() % size] ^= 1 << random_() % 8;
    return true;
  }
  bool ReadStack(uint64_t address, void* bytes, size_t size) override {
    const uint64_t offset = address - stack_begin;
    if (offset > stack_copy.size() || size > stack_copy.size() - offset) return false;
    std::memcpy(bytes, stack_copy.data() + offset, size);
    return true;
  }
  // Flips a bit in every `damage`th read of a table.
  void Damage(uint64_t damage) { damage_ = damage; }

 private:
  uint64_t damage_ = 0, reads_ = 0;
  std::mt19937 random_{7};
};

// Not memcpy: an address sanitizer has its own bytes between variables.
__attribute__((no_sanitize("address"))) void CopyStack(char* to) {
  for (size_t i = 0; i < copied; ++i) to[i] = reinterpret_cast<const volatile char*>(stack_begin)[i];
}

void OnSignal(int, siginfo_t*, void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
  interrupted.known = 0;
#if defined(__aarch64__)
  for (int i = 0; i < 31; ++i) interrupted.Set(i, machine.regs[i]);
  interrupted.Set(kStackPointer, machine.sp);
  interrupted.pc = machine.pc;
#else
  constexpr int kByNumber[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                               REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (int i = 0; i < 16; ++i) interrupted.Set(i, static_cast<uint64_t>(machine.gregs[kByNumber[i]]));
  interrupted.pc = static_cast<uint64_t>(machine.gregs[REG_RIP]);
#endif
  stack_begin = interrupted.values[kStackPointer] - 128;
  copied = std::min<size_t>(stack_copy.size(), stack_end - stack_begin);
  CopyStack(stack_copy.data());
}

}  // namespace

// With names that the dynamic linker does not need but symbol tables have.
__attribute__((noinline)) void TestRaise() { raise(SIGUSR1); }
__attribute__((noinline)) int TestCompare(const void* left, const void* right) {
  TestRaise();
  return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}
__attribute__((noinline)) void TestSort(int size) {
  // The compiler does not know the size, so the frame needs a frame pointer.
  auto* values = static_cast<int*>(__builtin_alloca(static_cast<size_t>(size) * sizeof(int)));
  for (int i = 0; i < size; ++i) values[i] = size - i;
  qsort(values, static_cast<size_t>(size), sizeof(int), TestCompare);
}
__attribute__((noinline)) void TestAligned(int size) {
  alignas(256) volatile char aligned[256];
  aligned[0] = static_cast<char>(size);
  TestSort(size);
  aligned[1] = aligned[0];
}

#if !defined(__aarch64__)
// A function of assembler that saves and uses the frame pointer, calls `function` by the pointer, and describes no
// frame.
asm(R"(
  .text
  .type TestBare, @function
TestBare:
  push %rbx
  push %rbp
  mov $1, %ebp
  sub $1032, %rsp
  call *%rdi
  add $1032, %rsp
  pop %rbp
  pop %rbx
  ret
  .size TestBare, . - TestBare

  .type TestKeepsFrame, @function
TestKeepsFrame:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  sub $16, %rsp
  call *%rdi
  add $16, %rsp
  pop %rbp
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size TestKeepsFrame, . - TestKeepsFrame
)");
extern "C" void TestBare(void (*function)());
// Its frame information needs the frame pointer, its code does not.
extern "C" void TestKeepsFrame(void (*function)());
uint64_t pc_in_frame = 0, stack_in_frame = 0;
__attribute__((noinline)) void TestRaiseInFrame() {
  pc_in_frame = reinterpret_cast<uint64_t>(__builtin_return_address(0));
  stack_in_frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0)) + 16;
  TestRaise();
}
__attribute__((noinline)) void TestCallsFrame(int size) {
  TestKeepsFrame(TestRaiseInFrame);
  asm volatile("" : : "r"(size));
}
// The compiler does not know the size, so the frame needs the frame pointer that TestBare saves.
__attribute__((noinline)) void TestCallsBare(int size) {
  auto* values = static_cast<volatile int*>(__builtin_alloca(static_cast<size_t>(size) * sizeof(int)));
  values[0] = size;
  TestBare(TestRaise);
  values[1] = size;
}
#endif

namespace {

class StackUnwinderTest : public testing::Test {
 protected:
  void SetUp() override { Sample(TestAligned); }

  // Samples a thread that runs `function`.
  void Sample(void (*function)(int)) {
    stack_copy.resize(64 << 10);
    std::thread([function] {
      pthread_attr_t attributes;
      void* lowest = nullptr;
      size_t size = 0;
      pthread_getattr_np(pthread_self(), &attributes);
      pthread_attr_getstack(&attributes, &lowest, &size);
      pthread_attr_destroy(&attributes);
      stack_end = reinterpret_cast<uint64_t>(lowest) + size;
      struct sigaction action {
      }, before{};
      action.sa_sigaction = OnSignal;
      action.sa_flags = SA_SIGINFO;
      sigaction(SIGUSR1, &action, &before);
      function(2);
      sigaction(SIGUSR1, &before, nullptr);
    }).join();
    stack_copy.resize(copied);
    objects_.Refresh();
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < stack_->depth; ++i) {
      const NativeFrame& frame = stack_->frames[i];
      if (frame.object == nullptr) {
        names.emplace_back("?");
        continue;
      }
      auto symbols = FunctionSymbols::Open(frame.object->path);
      names.push_back(symbols ? FunctionOfSymbol(symbols->SymbolAt(frame.pc - frame.object->bias)) : "");
    }
    return names;
  }

  // The names of functions of this file.
  std::vector<std::string> OwnNames() const {
    std::vector<std::string> names;
    for (const std::string& name : Names()) {
      if (name.starts_with("sparkprof::Test") || name == "TestBare" || name == "TestKeepsFrame") {
        names.push_back(name);
      }
    }
    return names;
  }

  SelfMemory memory_;
  LoadedObjects objects_{&memory_};
  std::unique_ptr<StackUnwinder> unwinder_ = std::make_unique<StackUnwinder>(&objects_, &memory_);
  std::unique_ptr<StackUnwinder::Stack> stack_ = std::make_unique<StackUnwinder::Stack>();
};

TEST_F(StackUnwinderTest, FindsAllCallersThroughTheCLibrary) {
  unwinder_->Unwind(interrupted, stack_.get());
  EXPECT_EQ(OwnNames(), (std::vector<std::string>{"sparkprof::TestRaise", "sparkprof::TestCompare",
                                                  "sparkprof::TestSort", "sparkprof::TestAligned"}))
      << testing::PrintToString(Names());
  EXPECT_EQ(stack_->end, UnwindEnd::kRoot);
  for (size_t i = 0; i < stack_->depth; ++i) {
    EXPECT_NE(stack_->frames[i].function, 0u) << i << " " << Names()[i];
    EXPECT_FALSE(stack_->frames[i].is_guessed) << i;
  }
}

#if !defined(__aarch64__)
TEST_F(StackUnwinderTest, TheCallerOfCodeWithoutFrameInformationIsSearchedAndMarked) {
  Sample(TestCallsBare);
  unwinder_->Unwind(interrupted, stack_.get());
  EXPECT_EQ(OwnNames(), (std::vector<std::string>{"sparkprof::TestRaise", "TestBare", "sparkprof::TestCallsBare"}))
      << testing::PrintToString(Names());
  EXPECT_EQ(stack_->end, UnwindEnd::kRoot);
  for (size_t i = 0; i < stack_->depth; ++i) {
    EXPECT_EQ(stack_->frames[i].is_guessed, Names()[i] == "sparkprof::TestCallsBare") << i;
  }
}

// Only pc and stack pointer are known of a thread that sleeps.
TEST_F(StackUnwinderTest, CodeStandsInForRegistersThatAreUnknown) {
  Sample(TestCallsFrame);
  Registers registers;
  registers.pc = pc_in_frame;
  registers.Set(kStackPointer, stack_in_frame);
  unwinder_->Unwind(registers, stack_.get());
  EXPECT_EQ(OwnNames(), (std::vector<std::string>{"TestKeepsFrame", "sparkprof::TestCallsFrame"}))
      << testing::PrintToString(Names());
  EXPECT_EQ(stack_->end, UnwindEnd::kRoot);
  ASSERT_GT(stack_->depth, 1u);
  EXPECT_TRUE(stack_->frames[1].is_guessed);
}

TEST_F(StackUnwinderTest, NoCallerIsGuessedFromWhichTheThreadsStartCannotBeReached) {
  Sample(TestCallsBare);
  const size_t whole = stack_copy.size();
  for (const size_t kept : {whole / 4, whole / 2, whole - 8}) {
    stack_copy.resize(kept);
    unwinder_->Forget();
    for (int i = 0; i < 5; ++i) unwinder_->Unwind(interrupted, stack_.get());
    EXPECT_EQ(stack_->end, UnwindEnd::kStopped) << kept;
    for (size_t i = 0; i < stack_->depth; ++i) EXPECT_FALSE(stack_->frames[i].is_guessed) << i;
  }
}
#endif

TEST_F(StackUnwinderTest, ACutStackEndsWhereItIsCut) {
  unwinder_->Unwind(interrupted, stack_.get());
  const size_t depth = stack_->depth;
  stack_copy.resize(256);
  unwinder_->Unwind(interrupted, stack_.get());
  EXPECT_LT(stack_->depth, depth);
  EXPECT_GT(stack_->depth, 0u);
  EXPECT_EQ(stack_->end, UnwindEnd::kStopped);
}

TEST_F(StackUnwinderTest, DamagedTablesEndOrChangeAStackAndNothingElse) {
  for (uint64_t damage = 1; damage <= 2000; ++damage) {
    memory_.Damage(damage % 37 + 1);
    unwinder_->Forget();
    unwinder_->Unwind(interrupted, stack_.get());
    EXPECT_GT(stack_->depth, 0u);
    EXPECT_LE(stack_->depth, StackUnwinder::kMaxFrames);
  }
}

TEST_F(StackUnwinderTest, CodeOfNoObjectOnACutStackEndsIt) {
  Registers registers = interrupted;
  registers.pc = 0x1234;
  stack_copy.resize(256);
  unwinder_->Unwind(registers, stack_.get());
  ASSERT_EQ(stack_->depth, 1u);
  EXPECT_EQ(stack_->frames[0].object, nullptr);
  EXPECT_EQ(stack_->end, UnwindEnd::kStopped);
}

}  // namespace
}  // namespace sparkprof
