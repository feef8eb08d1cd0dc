// SPDX-License-Identifier: Apache-2.0
#include "base/text/typing_errors.h"

#include <gtest/gtest.h>

#include <string_view>

namespace sparkprof {
namespace {

std::string_view Nearest(std::string_view name) {
  NearestName nearest(name);
  for (const std::string_view known : {"format", "from", "width", "height"}) nearest.Add(known);
  return nearest.Get();
}

TEST(TypingErrors, CountsInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(TypingErrors("format", "format"), 0u);
  EXPECT_EQ(TypingErrors("formt", "format"), 1u);
  EXPECT_EQ(TypingErrors("wdith", "width"), 2u);
  EXPECT_EQ(TypingErrors("a", "format"), 5u);
}

TEST(TypingErrors, TheNearestNameHasFewErrors) {
  EXPECT_EQ(Nearest("formt"), "format");
  EXPECT_EQ(Nearest("fron"), "from");
  EXPECT_EQ(Nearest("q"), "");
  EXPECT_EQ(Nearest(""), "");
  EXPECT_EQ(Nearest("something"), "");
}

}  // namespace
}  // namespace sparkprof
