// SPDX-License-Identifier: Apache-2.0
#include "unwind/call_frames.h"
#include "unwind/dwarf_cursor.h"

namespace sparkprof {
namespace {

constexpr int kMaxValues = 32;
constexpr int kMaxSteps = 200;

class Machine {
 public:
  Machine(std::string_view expression, const Registers& registers, UnwindMemory* memory)
      : expression_(expression), cursor_(expression, 0), registers_(registers), memory_(memory) {}

  void Push(uint64_t value) {
    if (count_ == kMaxValues) return Fail();
    values_[count_++] = value;
  }

  std::optional<uint64_t> Run() {
    for (int steps = 0; !failed_ && !cursor_.AtEnd(); ++steps) {
      if (steps == kMaxSteps) return std::nullopt;
      Step(cursor_.Number<uint8_t>());
    }
    if (failed_ || cursor_.Failed() || count_ == 0) return std::nullopt;
    return values_[count_ - 1];
  }

 private:
  void Fail() { failed_ = true; }

  uint64_t Pop() {
    if (count_ == 0) return Fail(), 0;
    return values_[--count_];
  }

  void PushRegister(uint64_t number, int64_t offset) {
    if (number >= kRegisters || !registers_.Has(static_cast<int>(number))) return Fail();
    Push(registers_.values[number] + static_cast<uint64_t>(offset));
  }

  void Load(size_t size) {
    uint64_t value = 0;
    if (size > sizeof value || !memory_->ReadStack(Pop(), &value, size)) return Fail();
    Push(value);
  }

  void Step(uint8_t operation) {
    if (operation >= 0x30 && operation <= 0x4F) return Push(operation - 0x30u);  // lit0 to lit31
    if (operation >= 0x70 && operation <= 0x8F)
      return PushRegister(operation - 0x70u, cursor_.Signed());  // breg0 to breg31
    if (operation >= 0x1A && operation <= 0x2E && operation != 0x1F && operation != 0x20 && operation != 0x23 &&
        operation != 0x28) {
      const uint64_t right = Pop(), left = Pop();
      return Push(Combined(operation, left, right));
    }
    switch (operation) {
      case 0x06:  // deref
        return Load(8);
      case 0x94:  // deref_size
        return Load(cursor_.Number<uint8_t>());
      case 0x03:  // addr
      case 0x0E:  // const8u
      case 0x0F:
        return Push(cursor_.Number<uint64_t>());
      case 0x08:
        return Push(cursor_.Number<uint8_t>());
      case 0x09:
        return Push(static_cast<uint64_t>(int64_t{cursor_.Number<int8_t>()}));
      case 0x0A:
        return Push(cursor_.Number<uint16_t>());
      case 0x0B:
        return Push(static_cast<uint64_t>(int64_t{cursor_.Number<int16_t>()}));
      case 0x0C:
        return Push(cursor_.Number<uint32_t>());
      case 0x0D:
        return Push(static_cast<uint64_t>(int64_t{cursor_.Number<int32_t>()}));
      case 0x10:
        return Push(cursor_.Unsigned());
      case 0x11:
        return Push(static_cast<uint64_t>(cursor_.Signed()));
      case 0x12: {  // dup
        const uint64_t top = Pop();
        Push(top);
        return Push(top);
      }
      case 0x13:  // drop
        Pop();
        return;
      case 0x14: {  // over
        const uint64_t top = Pop(), below = Pop();
        Push(below);
        Push(top);
        return Push(below);
      }
      case 0x16: {  // swap
        const uint64_t top = Pop(), below = Pop();
        Push(top);
        return Push(below);
      }
      case 0x1F:  // neg
        return Push(~Pop() + 1);
      case 0x20:  // not
        return Push(~Pop());
      case 0x23: {  // plus_uconst
        const uint64_t left = Pop();
        return Push(left + cursor_.Unsigned());
      }
      case 0x28: {  // bra
        const auto distance = cursor_.Number<int16_t>();
        return Pop() == 0 ? void() : Jump(distance);
      }
      case 0x2F:  // skip
        return Jump(cursor_.Number<int16_t>());
      case 0x92: {  // bregx
        const uint64_t number = cursor_.Unsigned();
        return PushRegister(number, cursor_.Signed());
      }
      case 0x96:  // nop
        return;
      default:
        return Fail();
    }
  }

  uint64_t Combined(uint8_t operation, uint64_t left, uint64_t right) {
    const auto signed_left = static_cast<int64_t>(left), signed_right = static_cast<int64_t>(right);
    switch (operation) {
      case 0x1A:
        return left & right;
      case 0x1C:
        return left - right;
      case 0x1E:
        return left * right;
      case 0x21:
        return left | right;
      case 0x22:
        return left + right;
      case 0x24:
        return right < 64 ? left << right : 0;
      case 0x25:
        return right < 64 ? left >> right : 0;
      case 0x26:
        return static_cast<uint64_t>(signed_left >> (right < 64 ? right : 63));
      case 0x27:
        return left ^ right;
      case 0x29:
        return left == right ? 1 : 0;
      case 0x2A:
        return signed_left >= signed_right ? 1 : 0;
      case 0x2B:
        return signed_left > signed_right ? 1 : 0;
      case 0x2C:
        return signed_left <= signed_right ? 1 : 0;
      case 0x2D:
        return signed_left < signed_right ? 1 : 0;
      case 0x2E:
        return left != right ? 1 : 0;
      default:  // divisions are not supported
        Fail();
        return 0;
    }
  }

  void Jump(int16_t distance) {
    const auto target = static_cast<int64_t>(cursor_.Offset()) + distance;
    if (target < 0 || target > static_cast<int64_t>(expression_.size())) return Fail();
    cursor_ = DwarfCursor(expression_, 0);
    cursor_.Skip(static_cast<uint64_t>(target));
  }

  const std::string_view expression_;
  DwarfCursor cursor_;
  const Registers& registers_;
  UnwindMemory* memory_;
  uint64_t values_[kMaxValues];
  int count_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<uint64_t> EvaluateExpression(std::string_view expression, const Registers& registers,
                                           std::optional<uint64_t> initial, UnwindMemory* memory) {
  Machine machine(expression, registers, memory);
  if (initial) machine.Push(*initial);
  return machine.Run();
}

}  // namespace sparkprof
