// SPDX-License-Identifier: Apache-2.0
#include "unwind/stack_unwinder.h"

#include <optional>

#include "base/hash_index.h"
#include "unwind/call_frames.h"
#include "unwind/machine_code.h"

namespace sparkprof {
namespace {

constexpr size_t kLongestExpression = 128;

using Kind = UnwindRow::Kind;

// On aarch64, unused bits of return addresses may contain a signature.
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
  for (Cached& cached : cached_) cached.key = 0;
}

const UnwindRow* StackUnwinder::RowAt(const LoadedObject* object, uint64_t pc, uint64_t next) {
  Cached& cached = cached_[MixHash(pc) % kCached];
  if (cached.key != pc) {
    cached.key = pc;
    const bool has_index = object != nullptr && object->index.header != 0;
    cached.is_known = (has_index && FindUnwindRow(object->index, pc, memory_, &cached.row)) ||
                      FindRowInCode(next, memory_, &cached.row);
  }
  return cached.is_known ? &cached.row : nullptr;
}

const UnwindRow* StackUnwinder::CodeRowAt(uint64_t next) {
  constexpr uint64_t kOfCode = uint64_t{1} << 63;  // never set in a pc
  const uint64_t key = next | kOfCode;
  Cached& cached = cached_[MixHash(key) % kCached];
  if (cached.key != key) {
    cached.key = key;
    cached.is_known = FindRowInCode(next, memory_, &cached.row);
  }
  return cached.is_known ? &cached.row : nullptr;
}

bool StackUnwinder::Evaluate(const UnwindRow& row, const UnwindRow::Rule& rule, const Registers& registers,
                             const uint64_t* initial, uint64_t* value) {
  char bytes[kLongestExpression];
  const uint64_t address = row.begin + static_cast<uint64_t>(int64_t{rule.value});
  if (rule.size > sizeof bytes || !memory_->ReadTable(address, bytes, rule.size)) return false;
  const std::optional<uint64_t> start = initial != nullptr ? std::optional(*initial) : std::nullopt;
  const std::optional<uint64_t> result = EvaluateExpression({bytes, rule.size}, registers, start, memory_);
  if (result) *value = *result;
  return result.has_value();
}

bool StackUnwinder::ValueOf(const UnwindRow& row, int number, const Registers& registers, uint64_t cfa,
                            uint64_t* value) {
  const UnwindRow::Rule& rule = row.rules[number];
  const uint64_t at = cfa + static_cast<uint64_t>(int64_t{rule.value});
  switch (rule.kind) {
    case Kind::kSame:
      *value = registers.values[number];
      return registers.Has(number);
    case Kind::kRegister:
      *value = registers.values[rule.number];
      return registers.Has(rule.number);
    case Kind::kOffset:
      *value = at;
      return true;
    case Kind::kAtOffset:
      return memory_->ReadStack(at, value, sizeof *value);
    case Kind::kExpression:
      return Evaluate(row, rule, registers, &cfa, value);
    case Kind::kAtExpression:
      return Evaluate(row, rule, registers, &cfa, value) && memory_->ReadStack(*value, value, sizeof *value);
    case Kind::kUndefined:
    case Kind::kRegisterOffset:
      return false;
  }
  return false;
}

// Computes the caller's registers; its pc is 0 if the function is the thread's first.
bool StackUnwinder::StepOut(const UnwindRow& row, Registers* registers) {
  uint64_t cfa = 0;
  if (row.cfa.kind == Kind::kRegisterOffset) {
    if (!registers->Has(row.cfa.number)) return false;
    cfa = registers->values[row.cfa.number] + static_cast<uint64_t>(int64_t{row.cfa.value});
  } else if (!Evaluate(row, row.cfa, *registers, nullptr, &cfa)) {
    return false;
  }
  Registers caller;
  for (int number = 0; number < kRegisters; ++number) {
    uint64_t value = 0;
    if (ValueOf(row, number, *registers, cfa, &value)) caller.Set(number, value);
  }
  if (row.rules[kReturnAddress].kind == Kind::kUndefined) {
    caller.pc = 0;
  } else if (caller.Has(kReturnAddress)) {
    caller.pc = Unsigned(caller.values[kReturnAddress]);
  } else {
    return false;
  }
  // The stack pointer moves outward with every frame, so unwinding terminates. Exceptions: a signal handler may have
  // its own stack, and a leaf function of aarch64 none.
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
  size_t known = 0;       // number of frames before the first guess
  bool is_exact = true;   // whether the pc is the next instruction to run instead of one after a call
  bool is_guess = false;  // whether the caller of the last frame is a guess
  while (stack->depth < kMaxFrames) {
    const uint64_t pc = is_exact ? registers.pc : registers.pc - 1;
    NativeFrame& frame = stack->frames[stack->depth++];
    frame = {pc, 0, objects_->Find(pc), is_guess};
    const UnwindRow* row = RowAt(frame.object, pc, registers.pc);
    if (row == nullptr) break;
    frame.function = row->begin;
    is_exact = row->is_signal;
    if constexpr (!kReturnsToRegister) registers.Set(kReturnAddress, registers.pc);  // required by PLT entries
    if (!StepOut(*row, &registers)) {
      // The row may need a register that is unknown unless the thread sampled itself.
      row = CodeRowAt(registers.pc);
      if (row == nullptr || !StepOut(*row, &registers)) break;
    }
    is_guess = row->is_guess;
    if (is_guess && known == 0) known = stack->depth;
    if (is_guess && !IsBehindCall(registers.pc, memory_)) break;
    const bool is_first = row->rules[kReturnAddress].kind == Kind::kUndefined;
    if (!is_first && (registers.pc != 0 || known != 0)) continue;
    stack->end = UnwindEnd::kRoot;
    return;
  }
  if (known != 0) stack->depth = known;
}

}  // namespace sparkprof
