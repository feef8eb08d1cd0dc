// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sparkprof {

// Parses single-line JSON of known form: no spaces, and no text that needs decoding. Each function consumes the
// named item or returns false. They read at most kPadding bytes ahead, and never consume the byte after the line (its
// end or 0).
class PlainJson {
 public:
  static constexpr size_t kPadding = 64;

  explicit PlainJson(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  const char* At() const { return at_; }

  // Whether the text or its line ends here.
  bool IsAtEnd() const {
    return at_ == end_ || *at_ == '\n' || (at_[0] == '\r' && (at_ + 1 == end_ || at_[1] == '\n'));
  }

  // Consumes a literal of at most kPadding characters.
  template <size_t kSize>
  [[gnu::always_inline]] bool Take(const char (&expected)[kSize]) {
    static_assert(kSize - 1 <= kPadding);
    if (!StartsWith(at_, expected, kSize - 1)) return false;
    at_ += kSize - 1;
    return true;
  }

  // Consumes any text, which may be longer than the padding.
  bool TakeSame(std::string_view expected) {
    if (static_cast<size_t>(end_ - at_) < expected.size()) return false;
    if (std::memcmp(at_, expected.data(), expected.size()) != 0) return false;
    at_ += expected.size();
    return true;
  }

  // Consumes "name": before a value; `name` must be shorter than the padding.
  bool TakeName(std::string_view name) {
    if (*at_ != '"' || !StartsWith(at_ + 1, name.data(), name.size())) return false;
    const char* const end = at_ + 1 + name.size();
    if (end[0] != '"' || end[1] != ':') return false;
    at_ = end + 2;
    return true;
  }

  // Consumes up to 18 digits with a sign. Check the next byte: the number may have a fraction.
  bool TakeInteger(int64_t* value) {
    const bool negative = *at_ == '-';
    at_ += negative ? 1 : 0;
    const char* const begin = at_;
    uint64_t number = 0;
    for (;;) {
      const uint64_t digits = Load(at_) ^ kEach * '0';
      const uint64_t others = ((digits + kEach * 0x76) | digits) & kHighBits;  // the lowest set bit is correct
      const int count = others == 0 ? 8 : std::countr_zero(others) / 8;
      if (count > 0) number = number * kPowers[count] + NumberOf(digits << (64 - 8 * count));
      at_ += count;
      if (count < 8 || at_ - begin > 18) break;
    }
    const ptrdiff_t size = at_ - begin;
    if (size == 0 || size > 18 || (size > 1 && *begin == '0')) return false;
    *value = negative ? -static_cast<int64_t>(number) : static_cast<int64_t>(number);
    return true;
  }

  // Consumes ASCII without escapes after the opening quote, including the closing one.
  bool TakeText(std::string_view* text) {
    const char* const begin = at_;
    for (;;) {
      const uint64_t bytes = Load(at_);
      const uint64_t quote = bytes ^ kEach * '"', backslash = bytes ^ kEach * '\\';
      const uint64_t ends =
          (((quote - kEach) & ~quote) | ((backslash - kEach) & ~backslash) | (bytes - kEach * ' ') | bytes) & kHighBits;
      if (ends == 0) {
        at_ += 8;
        continue;
      }
      at_ += std::countr_zero(ends) / 8;
      if (*at_ != '"') return false;
      *text = {begin, static_cast<size_t>(at_ - begin)};
      ++at_;
      return true;
    }
  }

  bool TakeBoolean(bool* value) {
    *value = *at_ == 't';
    return *value ? Take("true") : Take("false");
  }

 private:
  static_assert(std::endian::native == std::endian::little);
  static constexpr uint64_t kEach = 0x0101010101010101;  // 1 in each byte
  static constexpr uint64_t kHighBits = 0x8080808080808080;
  static constexpr uint64_t kPowers[] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

  static uint64_t Load(const char* at) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
  }

  // Inline memcmp() for short texts: eight bytes at a time; the last eight overlap the previous ones.
  [[gnu::always_inline]] static bool StartsWith(const char* text, const char* expected, size_t size) {
    if (size < 8) {
      for (size_t at = 0; at < size; ++at) {
        if (text[at] != expected[at]) return false;
      }
      return true;
    }
    for (size_t at = 0; at + 8 < size; at += 8) {
      if (Load(text + at) != Load(expected + at)) return false;
    }
    return Load(text + size - 8) == Load(expected + size - 8);
  }

  // Parses eight digits, the first one in the lowest byte: sums pairs of digits, then pairs of those, and again.
  static uint64_t NumberOf(uint64_t digits) {
    digits = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ff;
    digits = (digits * 100 + (digits >> 16)) & 0x0000ffff0000ffff;
    return (digits * 10'000 + (digits >> 32)) & 0xffffffff;
  }

  const char* at_;
  const char* end_;
};

}  // namespace sparkprof
