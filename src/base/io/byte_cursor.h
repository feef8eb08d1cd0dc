// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sparkprof {

// Reads data written by java.io.DataOutput. Beyond the end, all values are 0 or empty, and Ok() returns false.
class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : bytes_(bytes) {}

  bool Ok() const { return ok_; }
  bool AtEnd() const { return position_ == bytes_.size(); }
  size_t Position() const { return position_; }
  void Fail() { ok_ = false; }

  // Returns `size` bytes. The size comes from a file: fails if it is negative or too large.
  std::string_view Bytes(int64_t size) {
    if (!ok_ || size < 0 || static_cast<uint64_t>(size) > bytes_.size() - position_) {
      ok_ = false;
      return {};
    }
    const std::string_view bytes = bytes_.substr(position_, static_cast<size_t>(size));
    position_ += bytes.size();
    return bytes;
  }
  uint64_t BigEndian(int64_t size) {
    uint64_t value = 0;
    for (const char byte : Bytes(size)) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
  }
  uint8_t Byte() { return static_cast<uint8_t>(BigEndian(1)); }
  uint16_t Short() { return static_cast<uint16_t>(BigEndian(2)); }
  int32_t Int() { return static_cast<int32_t>(BigEndian(4)); }
  int64_t Long() { return static_cast<int64_t>(BigEndian(8)); }
  std::string_view Utf() { return Bytes(Short()); }  // writeUTF; names are ASCII

 private:
  std::string_view bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace sparkprof
