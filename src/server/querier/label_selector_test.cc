// SPDX-License-Identifier: Apache-2.0
#include "server/querier/label_selector.h"

#include <gtest/gtest.h>

#include <string>

namespace sparkprof {
namespace {

// "NAME OPERATOR VALUE" for each condition, or the error.
std::string Parsed(std::string_view text) {
  const Result<LabelMatchers> matchers = ParseSelector(text);
  if (!matchers) return matchers.error().message;
  std::string parsed;
  for (const LabelMatcher& matcher : *matchers) {
    if (!parsed.empty()) parsed += ", ";
    parsed += matcher.name + (matcher.is_negated ? " !" : " ") + (matcher.expression ? "~ " : "= ") + matcher.value;
  }
  return parsed;
}

bool Matches(std::string_view selector, std::string_view value) {
  const Result<LabelMatchers> matchers = ParseSelector(selector);
  EXPECT_TRUE(matchers) << matchers.error().message;
  return matchers && MatchesLabel(*matchers, "a", value);
}

TEST(LabelSelectorTest, ReadsTheGrammarOfPrometheus) {
  EXPECT_EQ(Parsed(""), "");
  EXPECT_EQ(Parsed(" { } "), "");
  EXPECT_EQ(Parsed(R"({a="b",c!="d",e=~"r.*",f!~"x|y"})"), "a = b, c != d, e ~ r.*, f !~ x|y");
  EXPECT_EQ(Parsed("{ a = 'b' , }"), "a = b") << "blanks and a comma at the end";
  EXPECT_EQ(Parsed(R"({"service.name"="shop"})"), "service.name = shop");
  EXPECT_EQ(Parsed(R"({__profile_type__="process_cpu:cpu:nanoseconds:cpu:nanoseconds"})"),
            "__profile_type__ = process_cpu:cpu:nanoseconds:cpu:nanoseconds");
}

TEST(LabelSelectorTest, ReadsEscapesOfQuotedValues) {
  EXPECT_EQ(Parsed(R"({a="x\"y\\z\n"})"), "a = x\"y\\z\n");
  EXPECT_EQ(Parsed(R"({a="\x41\101\u00e9\U0001F600"})"), "a = AA\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(Parsed(R"({a=`x\d`})"), "a = x\\d");
}

TEST(LabelSelectorTest, NamesTheProblemAndItsPosition) {
  EXPECT_EQ(Parsed("a"), "selector: offset 0: expected {, found 'a'");
  EXPECT_EQ(Parsed("{a"), "selector: offset 2: expected =, !=, =~ or !~, found ''");
  EXPECT_EQ(Parsed("{a=b}"), "selector: offset 3: expected a quoted value, found 'b}'");
  EXPECT_EQ(Parsed("{a=\"b}"), "selector: offset 6: expected the closing \", found ''");
  EXPECT_EQ(Parsed("{1=\"b\"}"), "selector: offset 1: expected the name of a label, found '1=\"b\"}'");
  EXPECT_EQ(Parsed("{a=\"b\" c=\"d\"}"), "selector: offset 7: expected , or }, found 'c=\"d\"}'");
  EXPECT_EQ(Parsed("{} x"), "selector: offset 3: expected the end, found 'x'");
  EXPECT_EQ(Parsed(R"({a="\q"})"), "selector: offset 5: expected an escape sequence after the backslash, found 'q\"}'");
  EXPECT_EQ(Parsed(R"({a="\uD800"})").substr(0, 18), "selector: offset 5");
  EXPECT_EQ(Parsed("{a=~\"(\"}"), "selector: invalid regular expression '(': missing ): (");
}

TEST(LabelSelectorTest, LimitsItsSize) {
  std::string many = "{";
  for (int i = 0; i < 65; ++i) many += "a=\"b\",";
  EXPECT_EQ(Parsed(many + "}"), "selector: more than 64 conditions");
  EXPECT_EQ(Parsed(std::string(65537, ' ')), "selector: longer than 65536 bytes");
}

TEST(LabelSelectorTest, ExpressionsMatchTheCompleteValue) {
  EXPECT_TRUE(Matches("{a=~\"b.d\"}", "bcd"));
  EXPECT_TRUE(Matches("{a=~\"b.d\"}", "b\nd"));
  EXPECT_FALSE(Matches("{a=~\"b.d\"}", "bcde"));
  EXPECT_FALSE(Matches("{a=~\"b|c\"}", "bc"));
  EXPECT_TRUE(Matches("{a!~\"b|c\"}", ""));
  EXPECT_TRUE(Matches("{a=\"\"}", "")) << "a missing label is empty";
  EXPECT_FALSE(Matches("{a!=\"\"}", ""));
  EXPECT_TRUE(Matches("{b=\"x\"}", "anything")) << "conditions for other labels do not count";
  EXPECT_FALSE(Matches("{a=\"x\",a!=\"x\"}", "x")) << "all conditions must match";
}

}  // namespace
}  // namespace sparkprof
