// SPDX-License-Identifier: Apache-2.0
#include "unwind/stack_unwinder.h"

#include <optional>

#include "base/hash_index.h"
#include "unwind/expression.h"

namespace sparkprof {
namespace {

constexpr size_t kLongestExpression = 128;

using Kind = UnwindRow::Kind;

// Return addresses may carry a signature in their unused bits on aarch64.
uint64_t Unsigned(uint64_t address) {
#if defined(__aarch64__)
  constexpr uint64_t kAddressBits = (uint64_t{1} << 48) - 1;
  return address & kAddressBits;
#else
  return address;
#endif
}

}  // namespace

void StackUnwinder::Forget() {
  for (Cached& cached : cached_) cached.pc = 0;
}

const UnwindRow* StackUnwinder::RowAt(const LoadedObject& object, uint64_t pc) {
  Cached& cached = cached_[MixHash(pc) % kCached];
  if (cached.pc != pc) {
    cached.pc = pc;
    cached.is_known = object.index.header != 0 && FindUnwindRow(object.index, pc, memory_, &cached.row);
  }
  return cached.is_known ? &cached.row : nullptr;
}

bool StackUnwinder::Evaluate(const UnwindRow::Rule& rule, const Registers& registers, const uint64_t* initial,
                             uint64_t* value) {
  char bytes[kLongestExpression];
  if (rule.size > sizeof bytes || !memory_->ReadTable(static_cast<uint64_t>(rule.value), bytes, rule.size)) {
    return false;
  }
  const std::optional<uint64_t> start = initial != nullptr ? std::optional(*initial) : std::nullopt;
  const std::optional<uint64_t> result = EvaluateExpression({bytes, rule.size}, registers, start, memory_);
  if (result) *value = *result;
  return result.has_value();
}

bool StackUnwinder::ValueOf(const UnwindRow::Rule& rule, int number, const Registers& registers, uint64_t cfa,
                            uint64_t* value) {
  switch (rule.kind) {
    case Kind::kSame:
      *value = registers.values[number];
      return registers.Has(number);
    case Kind::kRegister:
      *value = registers.values[rule.number];
      return registers.Has(rule.number);
    case Kind::kOffset:
      *value = cfa + static_cast<uint64_t>(rule.value);
      return true;
    case Kind::kAtOffset:
      return memory_->ReadStack(cfa + static_cast<uint64_t>(rule.value), value, sizeof *value);
    case Kind::kExpression:
      return Evaluate(rule, registers, &cfa, value);
    case Kind::kAtExpression:
      return Evaluate(rule, registers, &cfa, value) && memory_->ReadStack(*value, value, sizeof *value);
    case Kind::kUndefined:
    case Kind::kRegisterOffset:
      return false;
  }
  return false;
}

// The registers of the caller; its pc is 0 where the function is the thread's first.
bool StackUnwinder::StepOut(const UnwindRow& row, Registers* registers) {
  uint64_t cfa = 0;
  if (row.cfa.kind == Kind::kRegisterOffset) {
    if (!registers->Has(row.cfa.number)) return false;
    cfa = registers->values[row.cfa.number] + static_cast<uint64_t>(row.cfa.value);
  } else if (!Evaluate(row.cfa, *registers, nullptr, &cfa)) {
    return false;
  }
  Registers caller;
  for (int number = 0; number < kRegisters; ++number) {
    uint64_t value = 0;
    if (ValueOf(row.rules[number], number, *registers, cfa, &value)) caller.Set(number, value);
  }
  if (row.rules[kReturnAddress].kind == Kind::kUndefined) {
    caller.pc = 0;
  } else if (caller.Has(kReturnAddress)) {
    caller.pc = Unsigned(caller.values[kReturnAddress]);
  } else {
    return false;
  }
  // The stack pointer moves outward with every frame, so unwinding ends. A signal handler may have a stack of its own,
  // and a leaf function of aarch64 none.
  const bool is_outward =
      caller.values[kStackPointer] > registers->values[kStackPointer] ||
      (caller.values[kStackPointer] == registers->values[kStackPointer] && caller.pc != registers->pc);
  if (!row.is_signal && !is_outward) return false;
  *registers = caller;
  return true;
}

void StackUnwinder::Unwind(Registers registers, Stack* stack) {
  stack->depth = 0;
  stack->end = UnwindEnd::kStopped;
  bool is_exact = true;  // the pc is that of the next instruction to run, not one behind a call
  while (stack->depth < kMaxFrames) {
    const uint64_t pc = is_exact ? registers.pc : registers.pc - 1;
    NativeFrame& frame = stack->frames[stack->depth++];
    frame = {pc, 0, objects_->Find(pc)};
    if (frame.object == nullptr) return;
    const UnwindRow* const row = RowAt(*frame.object, pc);
    if (row == nullptr) return;
    frame.function = row->begin;
    is_exact = row->is_signal;
    if constexpr (!kReturnsToRegister) registers.Set(kReturnAddress, registers.pc);  // PLT entries need it
    if (!StepOut(*row, &registers)) return;
    if (registers.pc == 0) {
      stack->end = UnwindEnd::kRoot;
      return;
    }
  }
}

}  // namespace sparkprof
