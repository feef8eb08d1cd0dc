// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

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

TEST(JsonWriterTest, AListIsAnArrayAlsoWithinAList) {
  JsonWriter json;
  json.BeginObject().Member("names", std::vector<std::string>{"a", "b"}).Member("none", std::set<int64_t>());
  json.Member("levels", std::vector<std::vector<int64_t>>{{1, 2}, {}}).EndObject();
  EXPECT_EQ(json.Text(), R"({"names":["a","b"],"none":[],"levels":[[1,2],[]]})");
}

TEST(JsonWriterTest, PairsAreAnObject) {
  JsonWriter json;
  json.Object(std::map<std::string, int64_t>{{"a", 1}, {"b", 2}});
  EXPECT_EQ(json.Text(), R"({"a":1,"b":2})");
}

TEST(JsonWriterTest, AnUnknownValueIsNull) {
  JsonWriter json;
  json.BeginObject().Member("size", std::optional<double>()).Member("run", std::optional<int64_t>(7));
  json.MemberOrNull("task", false, 3).MemberOrNull("host", true, std::string("h")).EndObject();
  EXPECT_EQ(json.Text(), R"({"size":null,"run":7,"task":null,"host":"h"})");
}

}  // namespace
}  // namespace sparkprof
