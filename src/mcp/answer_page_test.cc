// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "mcp/tool.h"

namespace sparkprof {
namespace {

TEST(AnswerPageTest, PagesTogetherHaveEveryBlockOnceAndNoneIsTooLong) {
  ToolAnswer answer;
  for (int i = 0; i < 100; ++i) answer.Add("block " + std::to_string(i) + " " + std::string(300, 'x'));
  std::string cursor, all;
  int pages = 0;
  do {
    const Result<AnswerPage> page = PageOf(answer, cursor);
    ASSERT_TRUE(page);
    EXPECT_LE(page->text.size(), kMaxPageBytes);
    all += page->text + "\n";
    cursor = page->next_cursor;
    ASSERT_LT(++pages, 50);
  } while (!cursor.empty());
  for (int i = 0; i < 100; ++i) {
    const std::string name = "block " + std::to_string(i) + " ";
    ASSERT_NE(all.find(name), std::string::npos);
    EXPECT_EQ(all.find(name), all.rfind(name));
  }
}

TEST(AnswerPageTest, ABlockLargerThanAPageIsShortened) {
  ToolAnswer answer;
  answer.Add(std::string(50'000, 'y'));
  answer.Add("after");
  const Result<AnswerPage> first = PageOf(answer, "");
  ASSERT_TRUE(first);
  EXPECT_LE(first->text.size(), kMaxPageBytes);
  EXPECT_EQ(first->next_cursor, "1");
  EXPECT_EQ(PageOf(answer, "1")->text, "after");
}

TEST(AnswerPageTest, UnknownCursorsAreRefused) {
  ToolAnswer answer;
  answer.Add("only");
  for (const char* const cursor : {"1", "-1", "x", "99999999999999999999"})
    EXPECT_FALSE(PageOf(answer, cursor)) << cursor;
}

}  // namespace
}  // namespace sparkprof
