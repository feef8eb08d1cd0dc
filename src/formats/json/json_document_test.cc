// SPDX-License-Identifier: Apache-2.0
#include "formats/json/json_document.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(JsonDamage, NothingIsWrongWithJson) {
  for (const char* text : {"0", " [ ] ", "{}", R"({"a":[1,-0.5e+3,"\u00fc\n\"",true,false,null,{"b":{}}],"ü":[[]]})"}) {
    EXPECT_EQ(FindJsonDamage(text), std::string_view::npos) << text;
  }
}

TEST(JsonDamage, IsFoundWhereItIs) {
  EXPECT_EQ(FindJsonDamage(R"({"a":1,b:2})"), 7);
  EXPECT_EQ(FindJsonDamage(R"([1,2}])"), 4);
  EXPECT_EQ(FindJsonDamage(R"([1 2])"), 3);
  EXPECT_EQ(FindJsonDamage(R"([1,])"), 3);
  EXPECT_EQ(FindJsonDamage(R"([01])"), 2);
  EXPECT_EQ(FindJsonDamage(R"([nul1])"), 4);
  EXPECT_EQ(FindJsonDamage("[\"a\xFF\"]"), 3);
  EXPECT_EQ(FindJsonDamage("[\"a\n\"]"), 3);
  EXPECT_EQ(FindJsonDamage(R"(["\x"])"), 3);
  EXPECT_EQ(FindJsonDamage(R"([1] [)"), 4);
}

TEST(JsonDamage, OfTextThatIsCutIsTheEnd) {
  const std::string text = R"({"a":[1,{"b":"cd"}],"e":true})";
  for (size_t size = 0; size < text.size(); ++size) EXPECT_EQ(FindJsonDamage(text.substr(0, size)), size);
}

TEST(JsonDamage, WhatIsCutIsClosedBehindItsLastWholeValue) {
  EXPECT_EQ(CloseJson(R"({"a":[1,{"b":2},{"c)"), R"({"a":[1,{"b":2}]})");
  EXPECT_EQ(CloseJson(R"([1,23)"), "[1]");
}

}  // namespace
}  // namespace sparkprof
