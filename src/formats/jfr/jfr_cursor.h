// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sparkprof {

// Reads JFR's integers from a range of a chunk. A read beyond the range returns 0 and makes the cursor fail at the end,
// so one check of Failed() after a record is enough. Positions are offsets in the chunk.
class JfrCursor {
 public:
  JfrCursor(std::string_view chunk, size_t begin, size_t end)
      : base_(reinterpret_cast<const uint8_t*>(chunk.data())), at_(base_ + begin), end_(base_ + end) {}

  size_t Position() const { return static_cast<size_t>(at_ - base_); }
  size_t Remaining() const { return static_cast<size_t>(end_ - at_); }
  bool Failed() const { return failed_; }

  void Fail() {
    at_ = end_;
    failed_ = true;
  }

  // JFR's compressed integer: 7 bits a byte, lowest first; a ninth byte carries 8 bits.
  uint64_t Varint() {
    if (at_ < end_ && *at_ < 0x80) return *at_++;
    return LongVarint();
  }

  uint8_t Byte() {
    if (at_ == end_) {
      Fail();
      return 0;
    }
    return *at_++;
  }

  uint32_t Fixed32() { return Fixed<uint32_t>(); }
  uint64_t Fixed64() { return Fixed<uint64_t>(); }

  void Skip(uint64_t bytes) {
    if (bytes > Remaining()) {
      Fail();
    } else {
      at_ += bytes;
    }
  }

  std::string_view Bytes(uint64_t bytes) {
    const uint8_t* start = at_;
    Skip(bytes);
    if (failed_) return {};
    return {reinterpret_cast<const char*>(start), static_cast<size_t>(bytes)};
  }

  // Jumps over `count` compressed integers, eight bytes at a time.
  void SkipVarints(uint64_t count) {
    constexpr uint64_t kHighBits = 0x8080808080808080;
    const uint8_t* const start = at_;
    uint64_t left = count;
    int run = 0;  // bytes before at_ with a continuation bit
    while (left >= 8 && end_ - at_ >= 8) {
      uint64_t word;
      std::memcpy(&word, at_, 8);  // only little-endian machines are supported
      const uint64_t last_bytes = ~word & kHighBits;
      if (last_bytes == 0 || run + (__builtin_ctzll(last_bytes) >> 3) >= 8) {
        // A nine-byte integer, whose last byte has no continuation bit: read integers one by one.
        at_ = start;
        left = count;
        run = 0;
        break;
      }
      run = __builtin_clzll(last_bytes) >> 3;
      left -= (last_bytes >> 7) * 0x0101010101010101 >> 56;  // number of last bytes
      at_ += 8;
    }
    at_ -= run;
    for (; left > 0 && !failed_; --left) Varint();
  }

 private:
  template <typename T>
  T Fixed() {
    T value = 0;
    if (Remaining() < sizeof(T)) {
      Fail();
      return 0;
    }
    for (size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>(value << 8 | *at_++);
    return value;
  }

  uint64_t LongVarint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 56; shift += 7) {
      if (at_ == end_) break;
      const uint8_t byte = *at_++;
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    if (at_ == end_) {
      Fail();
      return 0;
    }
    return value | uint64_t{*at_++} << 56;
  }

  const uint8_t* base_;
  const uint8_t* at_;
  const uint8_t* end_;
  bool failed_ = false;
};

// JFR's six string encodings: one byte, followed by encoding-specific data.
enum class JfrStringEncoding : uint8_t { kNull = 0, kEmpty = 1, kConstant = 2, kUtf8 = 3, kCharArray = 4, kLatin1 = 5 };

// A string in a chunk. For kConstant, `constant` is a key of the pool of java.lang.String. Null and empty strings are
// equal here.
struct JfrText {
  bool is_constant = false;
  uint64_t constant = 0;
  std::string_view text;  // UTF-8; points into the chunk or into the scratch string
};

void SkipJfrString(JfrCursor* cursor);

// `scratch` stores the text if it is not UTF-8 in the chunk.
JfrText ReadJfrString(JfrCursor* cursor, std::string* scratch);

}  // namespace sparkprof
