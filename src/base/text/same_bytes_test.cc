// SPDX-License-Identifier: Apache-2.0
#include "base/text/same_bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace sparkprof {
namespace {

TEST(SameBytesTest, SeesEachByteOfEachSize) {
  for (size_t size = 0; size <= 150; ++size) {
    const std::string text(size, 'x');
    EXPECT_TRUE(SameBytes(text.data(), std::string(size, 'x').data(), size)) << size;
    for (size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = 'y';
      EXPECT_FALSE(SameBytes(text.data(), other.data(), size)) << size << " " << at;
    }
  }
}

}  // namespace
}  // namespace sparkprof
