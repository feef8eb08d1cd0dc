// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string_view>

#include "unwind/machine_code.h"

namespace sparkprof {
namespace {

// The bytes behind an opcode: n = none, m = ModRM, b = one byte, w = two, d = four (two with prefix 66), e = w and b,
// B = ModRM and b, D = ModRM and d, q = four, or eight with REX.W, a = an address, t = ModRM, and b or d if it is a
// test,
// - = no instruction, or a prefix.
constexpr std::string_view kOneByte =
    "mmmmbd--mmmmbd--mmmmbd--mmmmbd--mmmmbd--mmmmbd--mmmmbd--mmmmbd--"   // opcodes from 00
    "----------------nnnnnnnnnnnnnnnn---m----dDbBnnnnbbbbbbbbbbbbbbbb"   // opcodes from 40
    "BD-Bmmmmmmmmmmmmnnnnnnnnnn-nnnnnaaaannnnbdnnnnnnbbbbbbbbqqqqqqqq"   // opcodes from 80
    "BBwn--BDenwnnb-nmmmm---nmmmmmmmmbbbbbbbbdd-bnnnn-n--nnttnnnnnnmm";  // opcodes from C0
constexpr std::string_view kTwoBytes =
    "mmmm-nnnnn-n-mnBmmmmmmmmmmmmmmmmmmmm----mmmmmmmmnnnnnnnn--------"   // opcodes from 00
    "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmBBBBmmmnmmmmmmmm"   // opcodes from 40
    "ddddddddddddddddmmmmmmmmmmmmmmmmnnnmBm--nnnmBmmmmmmmmmmmmmBmmmmm"   // opcodes from 80
    "mmBmBBBmnnnnnnnnmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";  // opcodes from C0
static_assert(kOneByte.size() == 256 && kTwoBytes.size() == 256);

class Decoder {
 public:
  explicit Decoder(const uint8_t* bytes) : bytes_(bytes) {}

  X86Instruction Decode() {
    const char follows = Opcode();
    const bool has_modrm = std::string_view("mBDt").find(follows) != std::string_view::npos;
    if (follows == '-' || failed_) return {};
    if (has_modrm) ModRm();
    switch (follows) {
      case 'b':
      case 'B':
        result_.immediate = Number<int8_t>();
        break;
      case 'w':
        result_.immediate = Number<int16_t>();
        break;
      case 'e':
        Number<int16_t>();
        Number<int8_t>();
        break;
      case 'a':
        at_ += has_short_addresses_ ? 4 : 8;
        break;
      case 'q':
        at_ += result_.is_64 ? 8 : is_short_ ? 2 : 4;
        break;
      case 't':
        if (result_.reg % 8 > 1) break;
        at_ += result_.opcode == 0xF6 ? 1 : is_short_ ? 2 : 4;
        break;
      case 'd':
      case 'D':
        result_.immediate = is_short_ && !IsBranch() ? Number<int16_t>() : Number<int32_t>();
        break;
      default:
        break;
    }
    if (failed_ || at_ > X86Instruction::kLongest) return {};
    result_.length = at_;
    return result_;
  }

 private:
  template <typename T>
  T Number() {
    T value{};
    if (at_ + sizeof value > X86Instruction::kLongest) {
      failed_ = true;
      return value;
    }
    std::memcpy(&value, bytes_ + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  bool IsBranch() const {
    return result_.is_jump_if || (result_.is_plain && (result_.opcode == 0xE8 || result_.opcode == 0xE9));
  }

  void Prefixes() {
    for (;;) {
      const uint8_t byte = bytes_[at_];
      const bool is_prefix = byte == 0x66 || byte == 0x67 || byte == 0xF0 || byte == 0xF2 || byte == 0xF3 ||
                             byte == 0x2E || byte == 0x36 || byte == 0x3E || byte == 0x26 || byte == 0x64 ||
                             byte == 0x65;
      if (!is_prefix || at_ == X86Instruction::kLongest - 1) return;
      is_short_ = is_short_ || byte == 0x66;
      has_short_addresses_ = has_short_addresses_ || byte == 0x67;
      ++at_;
    }
  }

  // Reads up to the opcode. Returns the kind of the following bytes.
  char Opcode() {
    Prefixes();
    auto byte = Number<uint8_t>();
    if ((byte & 0xF0) == 0x40) {
      rex_ = byte;
      result_.is_64 = (rex_ & 8) != 0;
      result_.has_base_extension = (rex_ & 1) != 0;
      byte = Number<uint8_t>();
    }
    if (byte == 0x62 || byte == 0xC4 || byte == 0xC5) return VectorOpcode(byte);
    if (byte != 0x0F) {
      result_.opcode = byte;
      result_.is_plain = true;
      result_.is_jump_if = (byte & 0xF0) == 0x70 || (byte & 0xFC) == 0xE0;
      return kOneByte[byte];
    }
    byte = Number<uint8_t>();
    if (byte != 0x38 && byte != 0x3A) {
      result_.opcode = byte;
      result_.is_jump_if = (byte & 0xF0) == 0x80;
      return kTwoBytes[byte];
    }
    result_.opcode = Number<uint8_t>();
    return byte == 0x38 ? 'm' : 'B';
  }

  // VEX and EVEX prefixes contain the opcode map.
  char VectorOpcode(uint8_t prefix) {
    int map = 1;
    if (prefix == 0xC5) {
      Number<uint8_t>();
    } else {
      map = Number<uint8_t>() & (prefix == 0x62 ? 7 : 31);
      Number<uint8_t>();
      if (prefix == 0x62) Number<uint8_t>();
    }
    result_.opcode = Number<uint8_t>();
    if (map == 1) return (result_.opcode & 0xF0) == 0x80 ? '-' : kTwoBytes[result_.opcode];
    if (map == 3) return 'B';
    return map == 2 || map == 5 || map == 6 ? 'm' : '-';
  }

  void ModRm() {
    const auto byte = Number<uint8_t>();
    result_.mode = byte >> 6;
    result_.reg = static_cast<uint8_t>((byte >> 3 & 7) | (rex_ & 4) << 1);
    const int base = byte & 7;
    result_.base = static_cast<uint8_t>(base | (rex_ & 1) << 3);
    if (result_.mode == 3) return;
    bool has_no_base = result_.mode == 0 && base == 5;
    if (base == 4) {
      const auto scale = Number<uint8_t>();
      has_no_base = result_.mode == 0 && (scale & 7) == 5;
      const bool has_index = (scale >> 3 & 7) != 4 || (rex_ & 2) != 0;
      result_.base = has_index ? kNoRegister : static_cast<uint8_t>((scale & 7) | (rex_ & 1) << 3);
    }
    if (has_no_base) result_.base = kNoRegister;
    if (result_.mode == 1) result_.displacement = Number<int8_t>();
    if (result_.mode == 2 || has_no_base) result_.displacement = Number<int32_t>();
  }

  static constexpr uint8_t kNoRegister = 16;

  const uint8_t* bytes_;
  size_t at_ = 0;
  uint8_t rex_ = 0;
  bool is_short_ = false;
  bool has_short_addresses_ = false;
  bool failed_ = false;
  X86Instruction result_;
};

}  // namespace

X86Instruction DecodeX86(const uint8_t* bytes) { return Decoder(bytes).Decode(); }

}  // namespace sparkprof
