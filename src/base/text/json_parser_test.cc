// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_parser.h"

#include <gtest/gtest.h>

#include "base/memory_limit.h"

namespace sparkprof {
namespace {

std::string Array(size_t values, const std::string& value) {
  std::string text = "[" + value;
  for (size_t i = 1; i < values; ++i) text += "," + value;
  return text + "]";
}

TEST(JsonParserTest, DocumentsFollowEachOther) {
  JsonParser parser;
  for (const size_t values : {1, 1000, 10}) {
    simdjson::dom::array array;
    ASSERT_EQ(parser.Parse(Array(values, "7")).get(array), simdjson::SUCCESS);
    EXPECT_EQ(array.size(), values);
  }
  EXPECT_EQ(parser.Parse("[1").error(), simdjson::TAPE_ERROR);
  EXPECT_EQ(JsonParser().Parse(std::string(200, '[') + std::string(200, ']'), 100).error(), simdjson::DEPTH_ERROR);
}

TEST(JsonParserTest, ADocumentCountsByItsValuesNotByWhatTheParserReserves) {
  const std::string few = Array(1000, '"' + std::string(10'000, 'x') + '"'), many = Array(5'000'000, "7");
  ASSERT_EQ(few.size() / 1'000'000, many.size() / 1'000'000);
  const auto parse = [](const std::string& text) {
    MemoryLimit limit(size_t{64} << 20);
    const simdjson::error_code error = JsonParser().Parse(text).error();
    EXPECT_EQ(error == simdjson::MEMALLOC, limit.WasExceeded());
    return error;
  };
  EXPECT_EQ(parse(few), simdjson::SUCCESS);
  EXPECT_EQ(parse(many), simdjson::MEMALLOC);
}

TEST(JsonParserTest, AParserGivesBackWhatItCounted) {
  const std::string text = Array(100'000, "7");
  const MemoryLimit limit(size_t{8} << 20);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(JsonParser().Parse(text).error(), simdjson::SUCCESS);
}

}  // namespace
}  // namespace sparkprof
