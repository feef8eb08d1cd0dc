// SPDX-License-Identifier: Apache-2.0
#include "cpython/frame_text.h"

#include <algorithm>
#include <cstring>

namespace sparkprof {
namespace {

uint8_t Byte(std::string_view bytes, size_t at) { return static_cast<uint8_t>(bytes[at]); }

// 3.9: pairs (bytes, lines); Objects/lnotab_notes.txt.
int32_t LineByIncrements(std::string_view table, int32_t line, int32_t instruction) {
  int32_t address = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    address += Byte(table, i);
    if (address > instruction) break;
    line += static_cast<int8_t>(table[i + 1]);
  }
  return line;
}

// 3.10: pairs (bytes, lines) for consecutive ranges; -128 lines = the range has no line.
int32_t LineByRanges(std::string_view table, int32_t first_line, int32_t instruction) {
  int32_t line = first_line, address = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    const auto lines = static_cast<int8_t>(table[i + 1]);
    if (lines != -128) line += lines;
    address += Byte(table, i);
    if (instruction < address) return lines == -128 ? first_line : line;
  }
  return first_line;
}

// 3.11: Objects/locations.md (before: exception_handling_notes): an entry starts with a byte that has bit 7 set; 4 bits
// of kind, 3 bits of length in code units of two bytes.
class Locations {
 public:
  explicit Locations(std::string_view table) : table_(table) {}

  int32_t Line(int32_t first_line, int32_t instruction) {
    int64_t line = first_line, address = 0;
    while (at_ < table_.size()) {
      const uint8_t head = Byte(table_, at_++);
      if ((head & 0x80) == 0) return first_line;
      const int kind = head >> 3 & 15;
      const bool has_line = kind != 15;
      if (kind == 14 || kind == 13) {
        line += Signed();
        if (kind == 14) Skip(3);
      } else if (kind >= 10 && kind <= 12) {
        line += kind - 10;
        at_ += 2;
      } else if (kind < 10) {
        at_ += 1;
      }
      if (line > INT32_MAX || line < INT32_MIN) return first_line;
      address += ((head & 7) + 1) * 2;
      if (instruction < address) return has_line ? static_cast<int32_t>(line) : first_line;
    }
    return first_line;
  }

 private:
  uint32_t Unsigned() {
    uint32_t value = 0;
    for (int shift = 0; at_ < table_.size() && shift < 32; shift += 6) {
      const uint8_t byte = Byte(table_, at_++);
      value |= static_cast<uint32_t>(byte & 63) << shift;
      if ((byte & 64) == 0) break;
    }
    return value;
  }
  int64_t Signed() {
    const uint32_t value = Unsigned();
    return (value & 1) != 0 ? -static_cast<int64_t>(value >> 1) : static_cast<int64_t>(value >> 1);
  }
  void Skip(int count) {
    for (int i = 0; i < count; ++i) Unsigned();
  }

  std::string_view table_;
  size_t at_ = 0;
};

// Appends one character as UTF-8 if it fits into `capacity`.
bool Append(uint32_t character, char* out, size_t capacity, size_t* size) {
  char bytes[4];
  size_t count = 0;
  if (character >= 0xD800 && character < 0xE000) character = 0xFFFD;
  if (character < 0x80) {
    bytes[count++] = static_cast<char>(character);
  } else if (character < 0x800) {
    bytes[count++] = static_cast<char>(0xC0 | character >> 6);
    bytes[count++] = static_cast<char>(0x80 | (character & 63));
  } else if (character < 0x10000) {
    bytes[count++] = static_cast<char>(0xE0 | character >> 12);
    bytes[count++] = static_cast<char>(0x80 | (character >> 6 & 63));
    bytes[count++] = static_cast<char>(0x80 | (character & 63));
  } else if (character < 0x110000) {
    bytes[count++] = static_cast<char>(0xF0 | character >> 18);
    bytes[count++] = static_cast<char>(0x80 | (character >> 12 & 63));
    bytes[count++] = static_cast<char>(0x80 | (character >> 6 & 63));
    bytes[count++] = static_cast<char>(0x80 | (character & 63));
  } else {
    return false;
  }
  if (count > capacity - *size) return false;
  std::memcpy(out + *size, bytes, count);
  *size += count;
  return true;
}

uint32_t CharacterAt(const char* characters, size_t index, size_t width) {
  uint32_t character = 0;
  std::memcpy(&character, characters + index * width, width);
  return character;
}

// Reads the text object at `address` as UTF-8 into `out`, truncated if necessary. Empty if it is not a compact text.
std::string_view ReadText(const CPythonLayout& layout, PythonMemory* memory, uint64_t address, char* characters,
                          size_t characters_size, char* out, size_t capacity) {
  uint64_t length = 0;
  uint32_t state = 0;
  if (!memory->ReadOnce(address + layout.text_length, &length, sizeof length)) return {};
  if (!memory->ReadOnce(address + layout.text_state, &state, sizeof state)) return {};
  state >>= layout.text_kind_shift;
  const uint32_t width = state & 7;
  const bool is_compact = (state & 8) != 0, is_ascii = (state & 16) != 0;
  if (!is_compact || (width != 1 && width != 2 && width != 4) || (is_ascii && width != 1)) return {};
  if (length == 0 || length > (64 << 10)) return {};
  const size_t kept = std::min<size_t>({length, capacity, characters_size / width});
  const uint64_t data = address + (is_ascii ? layout.text_ascii_size : layout.text_compact_size);
  if (!memory->ReadOnce(data, characters, kept * width)) return {};
  size_t size = 0;
  for (size_t i = 0; i < kept; ++i) {
    const uint32_t character = CharacterAt(characters, i, width);
    if (character == 0 || (is_ascii && character > 0x7F)) return {};
    if (!Append(character, out, capacity, &size)) break;
  }
  return {out, size};
}

}  // namespace

int32_t LineOfInstruction(int minor, std::string_view table, int32_t first_line, int32_t instruction) {
  if (instruction < 0) return first_line;
  if (minor <= 9) return LineByIncrements(table, first_line, instruction);
  if (minor == 10) return LineByRanges(table, first_line, instruction);
  return Locations(table).Line(first_line, instruction);
}

bool FrameReader::Read(const CPythonLayout& layout, PythonMemory* memory, const RawFrame& frame, Text* text) {
  text->function = ReadText(layout, memory, frame.name, characters_, sizeof characters_, function_, sizeof function_);
  text->file = ReadText(layout, memory, frame.filename, characters_, sizeof characters_, file_, sizeof file_);
  if (text->function.empty() || text->file.empty()) return false;
  constexpr std::string_view kLocals = "<locals>.";
  if (const size_t locals = text->function.rfind(kLocals); locals != std::string_view::npos) {
    const std::string_view own_name = text->function.substr(locals + kLocals.size());
    if (!own_name.empty()) text->function = own_name;
  }
  text->first_line = text->line = frame.first_line;
  uint64_t length = 0;
  if (!memory->ReadOnce(frame.line_table + layout.bytes_length, &length, sizeof length)) return false;
  const size_t kept = std::min<uint64_t>(length, kMaxTable);
  if (kept > 0 && !memory->ReadOnce(frame.line_table + layout.bytes_data, table_, kept)) return false;
  text->line = LineOfInstruction(layout.minor, {table_, kept}, frame.first_line, frame.instruction);
  if (text->line < 0) text->line = 0;
  return true;
}

}  // namespace sparkprof
