// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text/escaped_text.h"

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
