// SPDX-License-Identifier: Apache-2.0
#include "inputs/cri_line.h"

#include <gtest/gtest.h>

#include <string>

namespace sparkprof {
namespace {

TEST(CriLineTest, SaysTimeStreamAndText) {
  const auto cri = ParseCriLine("2016-10-06T00:17:09.669794202Z stderr F 16/10/06 00:17:09 INFO A: b");
  ASSERT_TRUE(cri);
  EXPECT_EQ(cri->time, "2016-10-06T00:17:09.669794202Z");
  EXPECT_TRUE(cri->is_stderr);
  EXPECT_FALSE(cri->continues);
  EXPECT_EQ(cri->text, "16/10/06 00:17:09 INFO A: b");
}

TEST(CriLineTest, SaysWhetherTheTextGoesOn) {
  const auto cri = ParseCriLine("2016-10-06T00:17:09+02:00 stdout P part");
  ASSERT_TRUE(cri);
  EXPECT_FALSE(cri->is_stderr);
  EXPECT_TRUE(cri->continues);
  EXPECT_EQ(cri->text, "part");
}

TEST(CriLineTest, TakesFurtherTagsAndEmptyText) {
  EXPECT_EQ(ParseCriLine("2016-10-06T00:17:09Z stdout F:x:y text").value_or(CriLine()).text, "text");
  for (const char* tail : {"F", "F ", "P:x"}) {
    const auto cri = ParseCriLine(std::string("2016-10-06T00:17:09Z stdout ") + tail);
    ASSERT_TRUE(cri) << tail;
    EXPECT_EQ(cri->text, "") << tail;
  }
}

TEST(CriLineTest, OtherLinesAreNone) {
  for (const char* line :
       {"", "2016-10-06T00:17:09Z", "2016-10-06T00:17:09Z stdout ", "2016-10-06T00:17:09Z stdout Q x",
        "2016-10-06T00:17:09Z stdout Fx y", "2016-10-06T00:17:09Z INFO F x", "2016-10-06 00:17:09Z stdout F x",
        "16/10/06 00:17:09 INFO A: b"}) {
    EXPECT_FALSE(ParseCriLine(line)) << line;
  }
}

}  // namespace
}  // namespace sparkprof
