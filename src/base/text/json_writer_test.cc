// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace sparkprof {
namespace {

TEST(JsonWriterTest, WritesNestedValuesWithCommas) {
  JsonWriter json;
  json.BeginObject().Member("id", 3).Key("tags").BeginArray().Value("a").Value(true).Null().EndArray();
  json.Key("empty").BeginObject().EndObject().Member("share", 0.25).EndObject();
  EXPECT_EQ(json.Text(), R"({"id":3,"tags":["a",true,null],"empty":{},"share":0.25})");
}

TEST(JsonWriterTest, EscapesAndCleansStrings) {
  JsonWriter json;
  json.Value("a\"\\\n\x01\xFF");
  EXPECT_EQ(json.Text(), "\"a\\\"\\\\\\n\\u0001\xEF\xBF\xBD\"");
}

TEST(JsonWriterTest, WritesWholeDoublesAsIntegersAndInfinityAsNull) {
  JsonWriter json;
  json.BeginArray().Value(1e12).Value(std::numeric_limits<double>::infinity()).EndArray();
  EXPECT_EQ(json.Text(), "[1000000000000,null]");
}

}  // namespace
}  // namespace sparkprof
