// SPDX-License-Identifier: Apache-2.0
#include "base/shell_word.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(ShellWordTest, AWordOfAShellIsQuotedWhereItMeansMore) {
  EXPECT_EQ(ShellWord("/data/app-1.sprof"), "/data/app-1.sprof");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("etl;touch${IFS}x;#"), "'etl;touch${IFS}x;#'");
  EXPECT_EQ(ShellWord("it's `id`\n~"), "'it'\"'\"'s `id`\n~'");
}

}  // namespace
}  // namespace sparkprof
