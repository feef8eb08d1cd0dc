// SPDX-License-Identifier: Apache-2.0
#include "unwind/call_frames.h"

#include <algorithm>
#include <string_view>

#include "unwind/dwarf_cursor.h"

namespace sparkprof {
namespace {

constexpr uint8_t kUnsigned4 = 0x03;  // DW_EH_PE_udata4
constexpr uint8_t kDataRelativeSigned4 = 0x3B;
constexpr uint64_t kMaxEntries = 1 << 24;
constexpr size_t kLargestEntry = 32 << 10;  // the interpreter's loop takes 10 KiB
constexpr size_t kLargestCommon = 512;
constexpr int kMaxSaved = 16;
constexpr uint64_t kMaxAbove = uint64_t{1} << 31;

using Kind = UnwindRow::Kind;

// The part of a CIE that applies to all of its functions.
struct Common {
  uint64_t code_scale = 0;
  int64_t data_scale = 0;
  uint8_t pointer_encoding = 0;
  bool has_augmentation = false;
  bool is_signal = false;
  size_t program = 0;  // offset of the first instruction
};

// Reads the entry at `address`, without its length, into `buffer`.
std::string_view ReadEntry(uint64_t address, char* buffer, size_t capacity, UnwindMemory* memory) {
  uint32_t size = 0;
  if (!memory->ReadTable(address, &size, sizeof size) || size < 4 || size > capacity) return {};
  if (!memory->ReadTable(address + 4, buffer, size)) return {};
  return {buffer, size};
}

bool ParseCommon(std::string_view bytes, uint64_t address, Common* common) {
  DwarfCursor cursor(bytes, address);
  if (cursor.Number<uint32_t>() != 0) return false;
  const auto version = cursor.Number<uint8_t>();
  if (version != 1 && version != 3) return false;
  const std::string_view rest = cursor.Rest();
  const std::string_view augmentation = rest.substr(0, std::min(rest.find('\0'), rest.size()));
  cursor.Skip(augmentation.size() + 1);
  common->code_scale = cursor.Unsigned();
  common->data_scale = cursor.Signed();
  const uint64_t return_register = version == 1 ? cursor.Number<uint8_t>() : cursor.Unsigned();
  if (return_register != kReturnAddress) return false;
  if (augmentation.empty()) {
    common->program = cursor.Offset();
    return !cursor.Failed();
  }
  if (augmentation.front() != 'z') return false;
  common->has_augmentation = true;
  const uint64_t size = cursor.Unsigned();
  common->program = cursor.Offset() + size;
  for (const char letter : augmentation.substr(1)) {
    if (letter == 'R') common->pointer_encoding = cursor.Number<uint8_t>();
    if (letter == 'L') cursor.Skip(1);
    if (letter == 'S') common->is_signal = true;
    if (letter == 'P') {
      // Personality function: not needed for unwinding; may be indirect.
      const auto encoding = cursor.Number<uint8_t>();
      cursor.Encoded(encoding & 0x0F, 0);
    }
  }
  return !cursor.Failed() && size <= bytes.size() && common->program <= bytes.size();
}

// Executes call frame instructions up to one address.
class Program {
 public:
  Program(const Common& common, UnwindRow* row) : common_(common), row_(row) {}

  // Returns false if the program is damaged or exceeds a limit. `start`: address of its first instruction.
  bool Run(std::string_view bytes, uint64_t address, uint64_t start, uint64_t pc) {
    DwarfCursor cursor(bytes, address);
    location_ = start;
    pc_ = pc;
    is_done_ = false;
    while (!cursor.AtEnd() && !is_done_ && !failed_) Step(&cursor);
    return !failed_ && !cursor.Failed();
  }

  // Saves the rules so far: they apply at the function's start.
  void EndCommon() { std::copy(std::begin(row_->rules), std::end(row_->rules), std::begin(initial_)); }

 private:
  struct State {
    UnwindRow::Rule cfa;
    UnwindRow::Rule rules[kRegisters];
  };

  void Advance(uint64_t units) {
    const uint64_t next = location_ + units * common_.code_scale;
    if (next > pc_) is_done_ = true;
    location_ = next;
  }

  void Set(uint64_t number, UnwindRow::Rule rule) {
    // Vector registers are not tracked.
    if (number < kRegisters) row_->rules[number] = rule;
  }

  void Restore(uint64_t number) {
    if (number < kRegisters) row_->rules[number] = initial_[number];
  }

  // Rows are small because many are cached.
  int32_t Short(int64_t value) {
    if (value < INT32_MIN || value > INT32_MAX) failed_ = true;
    return static_cast<int32_t>(value);
  }

  UnwindRow::Rule Scaled(Kind kind, int64_t factor) {
    const uint64_t value = static_cast<uint64_t>(factor) * static_cast<uint64_t>(common_.data_scale);
    return {Short(static_cast<int64_t>(value)), 0, 0, kind};
  }

  UnwindRow::Rule Expression(Kind kind, DwarfCursor* cursor) {
    const uint64_t size = cursor->Unsigned();
    const uint64_t address = cursor->Address();
    cursor->Skip(size);
    if (size > UINT16_MAX) failed_ = true;
    return {Short(static_cast<int64_t>(address - row_->begin)), static_cast<uint16_t>(size), 0, kind};
  }

  void SetCfa(uint64_t number, int64_t offset) {
    if (number >= kRegisters) failed_ = true;
    row_->cfa = {Short(offset), 0, static_cast<uint8_t>(number), Kind::kRegisterOffset};
  }

  void Step(DwarfCursor* cursor) {
    const auto instruction = cursor->Number<uint8_t>();
    const uint8_t operand = instruction & 0x3F;
    switch (instruction & 0xC0) {
      case 0x40:
        return Advance(operand);
      case 0x80:
        return Set(operand, Scaled(Kind::kAtOffset, static_cast<int64_t>(cursor->Unsigned())));
      case 0xC0:
        return Restore(operand);
      default:
        break;
    }
    switch (instruction) {
      case 0x00:  // nop
        return;
      case 0x01: {  // set_loc
        const uint64_t next = cursor->Encoded(common_.pointer_encoding, 0);
        is_done_ = next > pc_;
        location_ = next;
        return;
      }
      case 0x02:
        return Advance(cursor->Number<uint8_t>());
      case 0x03:
        return Advance(cursor->Number<uint16_t>());
      case 0x04:
        return Advance(cursor->Number<uint32_t>());
      case 0x05: {  // offset_extended
        const uint64_t number = cursor->Unsigned();
        return Set(number, Scaled(Kind::kAtOffset, static_cast<int64_t>(cursor->Unsigned())));
      }
      case 0x06:  // restore_extended
        return Restore(cursor->Unsigned());
      case 0x07:  // undefined
        return Set(cursor->Unsigned(), {0, 0, 0, Kind::kUndefined});
      case 0x08:  // same_value
        return Set(cursor->Unsigned(), {});
      case 0x09: {  // register
        const uint64_t number = cursor->Unsigned(), from = cursor->Unsigned();
        if (from >= kRegisters) return Set(number, {0, 0, 0, Kind::kUndefined});
        return Set(number, {0, 0, static_cast<uint8_t>(from), Kind::kRegister});
      }
      case 0x0A:  // remember_state
        if (saved_count_ == kMaxSaved) return void(failed_ = true);
        saved_[saved_count_].cfa = row_->cfa;
        std::copy(std::begin(row_->rules), std::end(row_->rules), std::begin(saved_[saved_count_++].rules));
        return;
      case 0x0B:  // restore_state
        if (saved_count_ == 0) return void(failed_ = true);
        row_->cfa = saved_[--saved_count_].cfa;
        std::copy(std::begin(saved_[saved_count_].rules), std::end(saved_[saved_count_].rules),
                  std::begin(row_->rules));
        return;
      case 0x0C: {  // def_cfa
        const uint64_t number = cursor->Unsigned();
        return SetCfa(number, static_cast<int64_t>(cursor->Unsigned()));
      }
      case 0x0D:  // def_cfa_register
        return SetCfa(cursor->Unsigned(), row_->cfa.value);
      case 0x0E:  // def_cfa_offset
        row_->cfa.value = Short(static_cast<int64_t>(cursor->Unsigned()));
        return;
      case 0x0F:  // def_cfa_expression
        row_->cfa = Expression(Kind::kExpression, cursor);
        return;
      case 0x10: {  // expression
        const uint64_t number = cursor->Unsigned();
        return Set(number, Expression(Kind::kAtExpression, cursor));
      }
      case 0x11: {  // offset_extended_sf
        const uint64_t number = cursor->Unsigned();
        return Set(number, Scaled(Kind::kAtOffset, cursor->Signed()));
      }
      case 0x12: {  // def_cfa_sf
        const uint64_t number = cursor->Unsigned();
        return SetCfa(number, Scaled(Kind::kOffset, cursor->Signed()).value);
      }
      case 0x13:  // def_cfa_offset_sf
        row_->cfa.value = Scaled(Kind::kOffset, cursor->Signed()).value;
        return;
      case 0x14: {  // val_offset
        const uint64_t number = cursor->Unsigned();
        return Set(number, Scaled(Kind::kOffset, static_cast<int64_t>(cursor->Unsigned())));
      }
      case 0x15: {  // val_offset_sf
        const uint64_t number = cursor->Unsigned();
        return Set(number, Scaled(Kind::kOffset, cursor->Signed()));
      }
      case 0x16: {  // val_expression
        const uint64_t number = cursor->Unsigned();
        return Set(number, Expression(Kind::kExpression, cursor));
      }
      case 0x2D:  // AARCH64_negate_ra_state: the unwinder always removes signatures
        return;
      case 0x2E:  // GNU_args_size
        cursor->Unsigned();
        return;
      default:
        failed_ = true;
    }
  }

  const Common& common_;
  UnwindRow* row_;
  UnwindRow::Rule initial_[kRegisters];
  State saved_[kMaxSaved];
  int saved_count_ = 0;
  uint64_t location_ = 0;
  uint64_t pc_ = 0;
  bool is_done_ = false;
  bool failed_ = false;
};

// The entry of the last function that starts at or before `pc`; 0 = none.
uint64_t FindEntry(const UnwindIndex& index, uint64_t pc, UnwindMemory* memory) {
  struct Pair {
    int32_t function;
    int32_t entry;
  };
  uint64_t low = 0, high = index.count;
  Pair found{};
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    Pair pair;
    if (!memory->ReadTable(index.entries + middle * sizeof pair, &pair, sizeof pair)) return 0;
    if (index.header + static_cast<uint64_t>(int64_t{pair.function}) > pc) {
      high = middle;
    } else {
      low = middle + 1;
      found = pair;
    }
  }
  return low == 0 ? 0 : index.header + static_cast<uint64_t>(int64_t{found.entry});
}

}  // namespace

bool ReadUnwindIndex(uint64_t header, UnwindMemory* memory, UnwindIndex* index) {
  char bytes[16];
  if (header == 0 || !memory->ReadTable(header, bytes, sizeof bytes)) return false;
  DwarfCursor cursor({bytes, sizeof bytes}, header);
  const auto version = cursor.Number<uint8_t>(), frame = cursor.Number<uint8_t>();
  const auto count = cursor.Number<uint8_t>(), entries = cursor.Number<uint8_t>();
  if (version != 1 || count != kUnsigned4 || entries != kDataRelativeSigned4) return false;
  cursor.Encoded(frame, header);
  *index = {header, 0, cursor.Number<uint32_t>()};
  index->entries = cursor.Address();
  return !cursor.Failed() && index->count <= kMaxEntries;
}

bool FindUnwindRow(const UnwindIndex& index, uint64_t pc, UnwindMemory* memory, UnwindRow* row) {
  const uint64_t entry = FindEntry(index, pc, memory);
  if (entry == 0) return false;
  char buffer[kLargestEntry], common_buffer[kLargestCommon];
  const std::string_view bytes = ReadEntry(entry, buffer, sizeof buffer, memory);
  DwarfCursor cursor(bytes, entry + 4);
  const uint64_t place = cursor.Address();
  const auto distance = cursor.Number<uint32_t>();  // offset back to the CIE
  if (cursor.Failed() || distance == 0 || distance > kMaxAbove) return false;
  const uint64_t common_address = place - distance;
  const std::string_view common_bytes = ReadEntry(common_address, common_buffer, sizeof common_buffer, memory);
  Common common;
  if (!ParseCommon(common_bytes, common_address + 4, &common)) return false;

  row->begin = cursor.Encoded(common.pointer_encoding, 0);
  row->end = row->begin + cursor.Encoded(common.pointer_encoding & 0x0F, 0);
  if (common.has_augmentation) cursor.Skip(cursor.Unsigned());
  if (cursor.Failed() || pc < row->begin || pc >= row->end) return false;

  row->is_signal = common.is_signal;
  row->is_guess = false;
  row->cfa = {0, 0, 0, Kind::kUndefined};
  for (UnwindRow::Rule& rule : row->rules) rule = {};
  row->rules[kStackPointer] = {0, 0, 0, Kind::kOffset};
  Program program(common, row);
  if (!program.Run(common_bytes.substr(common.program), common_address + 4 + common.program, 0, UINT64_MAX)) {
    return false;
  }
  program.EndCommon();
  return program.Run(cursor.Rest(), cursor.Address(), row->begin, pc) && row->cfa.kind != Kind::kUndefined;
}

}  // namespace sparkprof
