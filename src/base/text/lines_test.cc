// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "base/text/text.h"

namespace sparkprof {
namespace {

std::vector<std::string_view> AllLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(TakeLine(&text));
  return lines;
}

TEST(LinesTest, EveryLineIsTakenWithoutItsEnd) {
  EXPECT_EQ(AllLines("a\n\nb\n"), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(AllLines("\n"), std::vector<std::string_view>{""});
  EXPECT_EQ(AllLines(""), std::vector<std::string_view>{});
}

TEST(LinesTest, TheLastLineNeedsNoEnd) { EXPECT_EQ(AllLines("a\nb"), (std::vector<std::string_view>{"a", "b"})); }

TEST(LinesTest, OneCarriageReturnIsPartOfALinesEnd) {
  EXPECT_EQ(WithoutCarriageReturn("a\r"), "a");
  EXPECT_EQ(WithoutCarriageReturn("a\r\r"), "a\r");
  EXPECT_EQ(WithoutCarriageReturn(""), "");
}

}  // namespace
}  // namespace sparkprof
