// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launch/submit_command.h"

namespace sparkprof {
namespace {

using Properties = std::map<std::string, std::string>;

TEST(SubmitPropertiesTest, ReadsEverySeparator) {
  EXPECT_EQ(ParseProperties("spark.a b\nspark.c=d\nspark.e:f\nspark.g \t= h\nspark.i\n"),
            (Properties{{"spark.a", "b"}, {"spark.c", "d"}, {"spark.e", "f"}, {"spark.g", "h"}, {"spark.i", ""}}));
}

TEST(SubmitPropertiesTest, SkipsCommentsEmptyLinesAndForeignKeys) {
  EXPECT_EQ(ParseProperties("# spark.a b\n  ! spark.c d\n\n \t\nhive.x y\nspark.z 1"), (Properties{{"spark.z", "1"}}));
}

TEST(SubmitPropertiesTest, JoinsContinuedLines) {
  EXPECT_EQ(ParseProperties("spark.a x,\\\n   y,\\\r\n\tz\nspark.b c\\\\\nspark.d e"),
            (Properties{{"spark.a", "x,y,z"}, {"spark.b", "c\\"}, {"spark.d", "e"}}));
}

TEST(SubmitPropertiesTest, UndoesEscapesInKeysAndValues) {
  EXPECT_EQ(ParseProperties("spark.a\\ b\\=c = 1\nspark.d \\u00e4\\t\\q\\u12\n"),
            (Properties{{"spark.a b=c", "1"}, {"spark.d", "\xC3\xA4\tqu12"}}));
}

TEST(SubmitPropertiesTest, TrimsValuesAndKeepsTheLastOfEqualKeys) {
  EXPECT_EQ(ParseProperties("spark.a  1  \t\nspark.a   2 = 3  "), (Properties{{"spark.a", "2 = 3"}}));
}

TEST(SubmitPropertiesTest, ACommentMayNotContinueOnTheNextLine) {
  EXPECT_EQ(ParseProperties("# x \\\nspark.a b"), (Properties{{"spark.a", "b"}}));
}

}  // namespace
}  // namespace sparkprof
