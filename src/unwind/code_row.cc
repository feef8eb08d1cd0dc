// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "unwind/machine_code.h"

namespace sparkprof {

#if defined(__aarch64__)

bool FindRowInCode(uint64_t /*pc*/, UnwindMemory* /*memory*/, UnwindRow* /*row*/) { return false; }

#else

namespace {

constexpr int kMaxInstructions = 8'000;
constexpr size_t kMaxBranches = 64;
constexpr size_t kMaxJumps = 256;
constexpr size_t kMaxPushed = 16;
constexpr uint8_t kNone = 16;  // no register

using Kind = UnwindRow::Kind;

// Converts a register number from machine encoding to DWARF.
uint8_t NumberOf(uint8_t machine) {
  constexpr uint8_t kNumbers[] = {0, 2, 1, 3, 7, 6, 4, 5};
  return machine < 8 ? kNumbers[machine] : machine;
}

constexpr uint8_t kStack = 4, kFrame = 5;  // numbers in machine encoding

// Callee-saved registers: rbx, rbp, r12 to r15.
bool IsSaved(uint8_t machine) { return machine == 3 || machine == kFrame || (machine >= 12 && machine < kNone); }

// Clamps: real frames are smaller.
int32_t Short(int64_t value) { return static_cast<int32_t>(std::clamp<int64_t>(value, INT32_MIN, INT32_MAX)); }

// A stack location relative to a register's value at the sampled pc.
struct Place {
  uint8_t base = kNone;  // machine encoding; kNone = unknown
  int64_t offset = 0;
};

// Executes the part of a function's code that frees its frame.
class Epilogue {
 public:
  explicit Epilogue(UnwindMemory* memory) : memory_(memory) {
    now_.stack = {kStack, 0};
    now_.frame = {kFrame, 0};
  }

  bool Run(uint64_t pc) {
    now_.pc = pc;
    for (int i = 0; i < kMaxInstructions; ++i) {
      const Step step = Execute();
      if (step == Step::kReturn && now_.pushed == 0 && now_.stack.base != kNone) return true;
      if (step == Step::kNext) continue;
      if (branches_ == 0) return false;
      now_ = branch_[--branches_];
    }
    return false;
  }

  // Sets the row from the caller's registers. Call only if Run found the return.
  void Write(UnwindRow* row) const {
    *row = {};
    row->cfa = {Short(now_.stack.offset + 8), 0, NumberOf(now_.stack.base), Kind::kRegisterOffset};
    row->is_guess = true;
    for (uint8_t machine = 0; machine < kNone; ++machine) {
      UnwindRow::Rule& rule = row->rules[NumberOf(machine)];
      const Place from = now_.restored[machine];
      if (!IsSaved(machine)) rule.kind = Kind::kUndefined;
      if (from.base == kNone) continue;
      // Only registers at a known distance from the return address.
      rule = {Short(from.offset - row->cfa.value), 0, 0,
              from.base == now_.stack.base ? Kind::kAtOffset : Kind::kUndefined};
    }
    const bool keeps_frame = now_.frame.base == kFrame && now_.frame.offset == 0;
    if (now_.restored[kFrame].base == kNone && !keeps_frame) row->rules[kFramePointer].kind = Kind::kUndefined;
    row->rules[kStackPointer] = {0, 0, 0, Kind::kOffset};
    row->rules[kReturnAddress] = {-8, 0, 0, Kind::kAtOffset};
  }

 private:
  enum class Step : uint8_t { kNext, kReturn, kDeadEnd };

  struct State {
    uint64_t pc = 0;
    Place stack;
    Place frame;            // location that the frame pointer refers to
    Place restored[kNone];  // source of each restored register of the caller; base kNone = not restored
    size_t pushed = 0;      // number of pushes since the sampled pc
  };

  void Restore(uint8_t machine, Place from) {
    now_.restored[machine] = from;
    if (machine == kFrame) now_.frame = {};
  }

  Step Push() {
    if (now_.pushed == kMaxPushed) return Step::kDeadEnd;
    ++now_.pushed;
    now_.stack.offset -= 8;
    return Step::kNext;
  }

  Step Pop(uint8_t machine) {
    if (now_.pushed > 0) {
      // Restores a temporarily saved register, which is not tracked.
      --now_.pushed;
    } else if (machine == kStack || now_.stack.base == kNone) {
      return Step::kDeadEnd;
    } else {
      Restore(machine, now_.stack);
    }
    now_.stack.offset += 8;
    return Step::kNext;
  }

  Step SetStack(Place place) {
    now_.stack = place;
    now_.pushed = 0;
    return Step::kNext;
  }

  Place ValueOf(uint8_t machine) const {
    if (machine == kStack) return now_.stack;
    if (machine == kFrame) return now_.frame;
    return {machine, 0};
  }

  Step Execute() {
    uint8_t bytes[X86Instruction::kLongest];
    // The code may end sooner than the longest instruction.
    size_t size = sizeof bytes;
    while (size > 0 && !memory_->ReadTable(now_.pc, bytes, size)) --size;
    const X86Instruction code = DecodeX86(bytes);
    if (code.length == 0 || code.length > size) return Step::kDeadEnd;
    now_.pc += code.length;
    if (code.is_jump_if) return Branch(code);
    if (code.is_plain) return ExecutePlain(code);
    return code.opcode == 0x0B ? Step::kDeadEnd : Step::kNext;  // ud2
  }

  // Whether the jump at this address is seen for the first time.
  bool IsNewJump() {
    uint64_t* const end = jumps_ + jump_count_;
    if (jump_count_ == kMaxJumps || std::find(jumps_, end, now_.pc) != end) return false;
    jumps_[jump_count_++] = now_.pc;
    return true;
  }

  // Tries the code after the jump first, which leaves loops; its target only if that finds no return.
  Step Branch(const X86Instruction& code) {
    if (branches_ == kMaxBranches || !IsNewJump()) return Step::kNext;
    branch_[branches_] = now_;
    branch_[branches_++].pc += static_cast<uint64_t>(code.immediate);
    return Step::kNext;
  }

  Step Jump(const X86Instruction& code) {
    if (!IsNewJump()) return Step::kDeadEnd;
    now_.pc += static_cast<uint64_t>(code.immediate);
    return Step::kNext;
  }

  Step ExecutePlain(const X86Instruction& code) {
    const uint8_t opcode = code.opcode;
    if ((opcode & 0xF8) == 0x50) return Push();
    if ((opcode & 0xF8) == 0x58) return Pop(static_cast<uint8_t>((opcode & 7) | (code.has_base_extension ? 8 : 0)));
    switch (opcode) {
      case 0x68:
      case 0x6A:
      case 0x9C:  // pushf
        return Push();
      case 0x9D:  // popf
        return Pop(0);
      case 0x81:
      case 0x83:
        return code.mode == 3 && code.base == kStack ? AddToStack(code) : Step::kNext;
      case 0x8D:  // lea
        if (code.reg != kStack) return Step::kNext;
        return SetStack(AddressOf(code));
      case 0x89:
      case 0x8B:
        return Move(code);
      case 0xC9:  // leave
        SetStack(now_.frame);
        return Pop(kFrame);
      case 0xC2:
      case 0xC3:
        return Step::kReturn;
      case 0xE9:
      case 0xEB:
        return Jump(code);
      case 0xCC:
      case 0xF4:  // hlt
        return Step::kDeadEnd;
      case 0xFF:
        if (code.reg % 8 == 6) return Push();
        return code.reg % 8 == 4 ? Step::kDeadEnd : Step::kNext;  // jmp
      default:
        return Step::kNext;
    }
  }

  Place AddressOf(const X86Instruction& code) const {
    if (code.mode == 3 || code.base == kNone) return {};
    Place place = ValueOf(code.base);
    place.offset += code.displacement;
    return place;
  }

  // add, sub, and and others with an immediate operand.
  Step AddToStack(const X86Instruction& code) {
    const uint8_t operation = code.reg % 8;
    if (operation == 7) return Step::kNext;  // cmp
    if (operation == 0) now_.stack.offset += code.immediate;
    if (operation == 5) now_.stack.offset -= code.immediate;
    if (operation != 0 && operation != 5) now_.stack = {};
    return Step::kNext;
  }

  Step Move(const X86Instruction& code) {
    if (!code.is_64) return Step::kNext;
    const bool is_load = code.opcode == 0x8B;
    if (code.mode == 3) {
      const uint8_t to = is_load ? code.reg : code.base, from = is_load ? code.base : code.reg;
      if (to == kStack) return SetStack(ValueOf(from));
      if (to != kFrame) return Step::kNext;
      now_.frame = ValueOf(from);
      now_.restored[kFrame] = {};
      return Step::kNext;
    }
    if (!is_load) return Step::kNext;
    if (code.reg == kStack) return SetStack({});
    const Place place = AddressOf(code);
    const bool is_frame = place.base != kNone && (code.base == kStack || code.base == kFrame);
    if (IsSaved(code.reg) && is_frame) Restore(code.reg, place);
    return Step::kNext;
  }

  UnwindMemory* memory_;
  State now_;
  State branch_[kMaxBranches];
  size_t branches_ = 0;
  uint64_t jumps_[kMaxJumps];  // jumps seen so far
  size_t jump_count_ = 0;
};

}  // namespace

bool FindRowInCode(uint64_t pc, UnwindMemory* memory, UnwindRow* row) {
  Epilogue epilogue(memory);
  if (!epilogue.Run(pc)) return false;
  epilogue.Write(row);
  return true;
}

#endif

}  // namespace sparkprof
