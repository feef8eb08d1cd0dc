// SPDX-License-Identifier: Apache-2.0
#include "base/text/byte_positions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sparkprof {
namespace {

std::vector<size_t> PlacesOf(std::string_view text, size_t begin) {
  std::vector<size_t> places;
  BytePositions positions(text, begin, ';');
  for (size_t place = positions.Next(); place < text.size(); place = positions.Next()) places.push_back(place);
  EXPECT_EQ(positions.Next(), text.size());  // and again
  return places;
}

TEST(BytePositionsTest, AreThoseOfFindFromAnyBeginInTextsOfAnySize) {
  uint32_t seed = 1;
  std::string all;
  for (int i = 0; i < 200; ++i) all += (seed = seed * 1664525 + 1013904223) / 65536 % 7 == 0 ? ';' : 'a';
  for (size_t size = 0; size <= all.size(); ++size) {
    const std::string text = all.substr(0, size);  // its own memory, so that a byte behind it is noticed
    for (size_t begin = 0; begin <= size; begin += 13) {
      std::vector<size_t> wanted;
      for (size_t at = text.find(';', begin); at != std::string::npos; at = text.find(';', at + 1)) {
        wanted.push_back(at);
      }
      ASSERT_EQ(PlacesOf(text, begin), wanted) << size << " from " << begin;
    }
  }
}

}  // namespace
}  // namespace sparkprof
