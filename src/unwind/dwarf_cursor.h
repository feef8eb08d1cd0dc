// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sparkprof {

// Reads numbers of DWARF tables. Beyond the end, and after a damaged number, every read returns 0 and Failed() is true.
// Does not allocate.
class DwarfCursor {
 public:
  // `address`: location of the bytes in the process that they describe.
  DwarfCursor(std::string_view bytes, uint64_t address) : bytes_(bytes), address_(address) {}

  bool Failed() const { return failed_; }
  bool AtEnd() const { return failed_ || at_ == bytes_.size(); }
  size_t Offset() const { return at_; }
  uint64_t Address() const { return address_ + at_; }

  template <typename T>
  T Number() {
    T value{};
    if (bytes_.size() - at_ < sizeof value) return Fail(), value;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  uint64_t Unsigned() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = Number<uint8_t>();
      value |= uint64_t{byte & 0x7Fu} << shift;
      if ((byte & 0x80) == 0) return failed_ ? 0 : value;
    }
    Fail();
    return 0;
  }

  int64_t Signed() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = Number<uint8_t>();
      value |= uint64_t{byte & 0x7Fu} << shift;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      return failed_ ? 0 : static_cast<int64_t>(value);
    }
    Fail();
    return 0;
  }

  // A pointer in one of the encodings DW_EH_PE_* (LSB, 10.5.1). `data_base`: base of data-relative pointers. Fails for
  // indirect pointers.
  uint64_t Encoded(uint8_t encoding, uint64_t data_base) {
    const uint64_t place = Address();
    uint64_t value = 0;
    switch (encoding & 0x0F) {
      case 0x00:
      case 0x04:
      case 0x0C:
        value = Number<uint64_t>();
        break;
      case 0x01:
        value = Unsigned();
        break;
      case 0x02:
        value = Number<uint16_t>();
        break;
      case 0x03:
        value = Number<uint32_t>();
        break;
      case 0x09:
        value = static_cast<uint64_t>(Signed());
        break;
      case 0x0A:
        value = static_cast<uint64_t>(int64_t{Number<int16_t>()});
        break;
      case 0x0B:
        value = static_cast<uint64_t>(int64_t{Number<int32_t>()});
        break;
      default:
        Fail();
    }
    switch (encoding & 0xF0) {
      case 0x00:
        break;
      case 0x10:
        value += place;
        break;
      case 0x30:
        value += data_base;
        break;
      default:
        Fail();
    }
    return failed_ ? 0 : value;
  }

  void Skip(uint64_t size) {
    if (size > bytes_.size() - at_) return Fail();
    at_ += size;
  }

  std::string_view Rest() const { return failed_ ? std::string_view() : bytes_.substr(at_); }

  void Fail() {
    failed_ = true;
    at_ = bytes_.size();
  }

 private:
  std::string_view bytes_;
  uint64_t address_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace sparkprof
