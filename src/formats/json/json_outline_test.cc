// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "formats/json/json_document.h"

namespace sparkprof {
namespace {

TEST(JsonOutlineTest, HasTheMembersOfTheFirstLevels) {
  const JsonOutline outline(R"( {"a":1, "b":{"c":[{"d":{"e":2}}, [{"f":"{\"g\":3}"}]]}, "h":"i"} {"j":1})");
  EXPECT_TRUE(outline.IsObject());
  for (const char* path : {"a", "b", "b.c", "b.c.d", "b.c.f", "h"}) EXPECT_TRUE(outline.Has(path)) << path;
  for (const char* path : {"c", "d", "i", "g", "b.c.d.e", "j"}) EXPECT_FALSE(outline.Has(path)) << path;
}

TEST(JsonOutlineTest, ElementsOfAnArrayHaveMembers) {
  const JsonOutline outline(R"([1, {"ph":"X","args":{"x":1}},)");
  EXPECT_TRUE(outline.IsArray());
  EXPECT_TRUE(outline.Has("ph"));
  EXPECT_TRUE(outline.Has("args.x"));
}

TEST(JsonOutlineTest, TextThatIsCutHasTheMembersBeforeTheEnd) {
  const std::string text = R"({"abc":{"d\"":[[{"e":1}]]},"f":2})";
  for (size_t size = 0; size < text.size(); ++size) {
    const JsonOutline outline(std::string_view(text).substr(0, size));
    EXPECT_EQ(outline.Has("abc"), size >= 7) << size;
    EXPECT_EQ(outline.Has("f"), size >= text.find("\"f\"") + 4) << size;
  }
}

TEST(JsonOutlineTest, OtherTextHasNone) {
  EXPECT_FALSE(JsonOutline("a;b 3\n").IsObject());
  EXPECT_FALSE(JsonOutline("]}").IsArray());
  EXPECT_FALSE(JsonOutline("").IsObject());
}

}  // namespace
}  // namespace sparkprof
