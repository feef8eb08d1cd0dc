// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sparkprof {

// Iterates over the positions of a byte in a text. Unlike memchr, needs no call for each of many short pieces; compares
// 64 bytes at once.
class BytePositions {
 public:
  // Starts at `begin`, which must not exceed the size of the text.
  BytePositions(std::string_view text, size_t begin, char byte) : text_(text), next_(begin), byte_(byte) {}

  // The next position, or the size of the text if there is none.
  [[gnu::always_inline]] size_t Next() {
    while (found_ == 0) {
      if (next_ >= text_.size()) return text_.size();
      Compare();
    }
    const size_t place = base_ + static_cast<size_t>(std::countr_zero(found_));
    found_ &= found_ - 1;
    return place;
  }

 private:
  static constexpr size_t kAtOnce = 64;

  [[gnu::always_inline]] void Compare() {
    base_ = next_;
    next_ += kAtOnce;
    if (next_ <= text_.size()) {
      found_ = Matches(text_.data() + base_);
      return;
    }
    const size_t rest = text_.size() - base_;
    char last[kAtOnce] = {};
    std::memcpy(last, text_.data() + base_, rest);
    found_ = Matches(last) & ((uint64_t{1} << rest) - 1);
  }

  // One bit per byte.
  [[gnu::always_inline]] uint64_t Matches(const char* bytes) const {
    uint64_t matches = 0;
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi8(byte_);
    for (size_t at = 0; at < kAtOnce; at += 16) {
      __m128i some;
      std::memcpy(&some, bytes + at, sizeof some);
      const auto equal = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(some, wanted)));
      matches |= uint64_t{equal} << at;
    }
#else
    for (size_t at = 0; at < kAtOnce; ++at) matches |= uint64_t{bytes[at] == byte_} << at;
#endif
    return matches;
  }

  std::string_view text_;
  size_t next_;         // first byte not compared yet
  size_t base_ = 0;     // position of the lowest bit of found_
  uint64_t found_ = 0;  // positions not returned yet
  char byte_;
};

}  // namespace sparkprof
