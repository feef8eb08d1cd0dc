// SPDX-License-Identifier: Apache-2.0
#include "catalogue/clickhouse/row_binary.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(RowBinaryTest, ReadsWhatItWrites) {
  const std::string text(300, 'x');
  const std::vector<uint64_t> words(200, 7);
  RowBinaryWriter writer;
  writer.Row(int64_t{-5}, UINT64_MAX, 1.5, text, words, std::string_view());
  EXPECT_EQ(writer.Rows(), 1u);
  RowBinaryReader reader(writer.Bytes());
  EXPECT_EQ(reader.Integer(), -5);
  EXPECT_EQ(reader.Word(), UINT64_MAX);
  EXPECT_EQ(reader.Number(), 1.5);
  EXPECT_EQ(reader.Text(), text);
  EXPECT_EQ(reader.Words(), words);
  EXPECT_EQ(reader.Text(), "");
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_FALSE(reader.Failed());
}

TEST(RowBinaryTest, TruncatedValuesFail) {
  RowBinaryWriter writer;
  writer.Row(std::string(300, 'x'), std::vector<uint64_t>(3, 7), int64_t{5});
  for (size_t size = 0; size < writer.Bytes().size(); ++size) {
    RowBinaryReader reader(std::string_view(writer.Bytes()).substr(0, size));
    reader.Text();
    reader.Words();
    reader.Integer();
    EXPECT_TRUE(reader.Failed()) << size;
    EXPECT_TRUE(reader.AtEnd()) << size;
  }
}

TEST(RowBinaryTest, LengthsAreNotTrusted) {
  const std::string huge = std::string(9, '\xff') + "\x01";
  EXPECT_EQ(RowBinaryReader(huge + "text").Text(), "");
  EXPECT_TRUE(RowBinaryReader(huge + "words").Words().empty());
  RowBinaryReader endless(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
  endless.Text();
  EXPECT_TRUE(endless.Failed());
}

}  // namespace
}  // namespace sparkprof
