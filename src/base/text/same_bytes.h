// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sparkprof {

// memcmp(a, b, size) == 0 for readers that compare millions of short, mostly equal texts: without a call and, for sizes
// up to 64, without an unpredictable loop. Compares overlapping pieces instead.
[[gnu::always_inline]] inline bool SameBytes(const char* a, const char* b, size_t size) {
  const auto difference = [&](size_t at) {
    uint64_t left[2], right[2];
    std::memcpy(left, a + at, sizeof left);
    std::memcpy(right, b + at, sizeof right);
    return (left[0] ^ right[0]) | (left[1] ^ right[1]);
  };
  if (size < 16) return std::memcmp(a, b, size) == 0;
  if (size <= 32) return (difference(0) | difference(size - 16)) == 0;
  if (size <= 64) return (difference(0) | difference(16) | difference(size - 32) | difference(size - 16)) == 0;
  for (size_t at = 0; at + 16 < size; at += 16) {
    if (difference(at) != 0) return false;
  }
  return difference(size - 16) == 0;
}

}  // namespace sparkprof
