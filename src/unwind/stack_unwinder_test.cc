// SPDX-License-Identifier: Apache-2.0
#include "unwind/stack_unwinder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "unwind/function_symbols.h"
#include "unwind/loaded_objects.h"
#include "unwind/symbol_name.h"

namespace sparkprof {
namespace {

Registers interrupted;
std::vector<char> stack_copy;
uint64_t stack_begin = 0;

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
  std::memcpy(stack_copy.data(), reinterpret_cast<const void*>(stack_begin), stack_copy.size());
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

namespace {

class StackUnwinderTest : public testing::Test {
 protected:
  // Samples a thread that sorts.
  void SetUp() override {
    std::thread([this] {
      stack_copy.resize(8 << 10);
      struct sigaction action {
      }, before{};
      action.sa_sigaction = OnSignal;
      action.sa_flags = SA_SIGINFO;
      sigaction(SIGUSR1, &action, &before);
      char below[8 << 10];  // the copy may reach beyond the frames
      below[0] = 0;
      TestAligned(2 + below[0]);
      sigaction(SIGUSR1, &before, nullptr);
    }).join();
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

  SelfMemory memory_;
  LoadedObjects objects_{&memory_};
  std::unique_ptr<StackUnwinder> unwinder_ = std::make_unique<StackUnwinder>(&objects_, &memory_);
  std::unique_ptr<StackUnwinder::Stack> stack_ = std::make_unique<StackUnwinder::Stack>();
};

TEST_F(StackUnwinderTest, FindsAllCallersThroughTheCLibrary) {
  stack_copy.resize(8 << 10);
  unwinder_->Unwind(interrupted, stack_.get());
  const std::vector<std::string> names = Names();
  std::vector<std::string> own;
  for (const std::string& name : names) {
    if (name.find("Test") != std::string::npos && name.find("sparkprof::Test") == 0) own.push_back(name);
  }
  EXPECT_EQ(own, (std::vector<std::string>{"sparkprof::TestRaise", "sparkprof::TestCompare", "sparkprof::TestSort",
                                           "sparkprof::TestAligned"}))
      << testing::PrintToString(names);
  for (size_t i = 0; i < stack_->depth; ++i) EXPECT_NE(stack_->frames[i].function, 0u) << i << " " << names[i];
}

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

TEST_F(StackUnwinderTest, CodeOfNoObjectEndsAStack) {
  Registers registers = interrupted;
  registers.pc = 0x1234;
  unwinder_->Unwind(registers, stack_.get());
  ASSERT_EQ(stack_->depth, 1u);
  EXPECT_EQ(stack_->frames[0].object, nullptr);
  EXPECT_EQ(stack_->end, UnwindEnd::kStopped);
}

}  // namespace
}  // namespace sparkprof
