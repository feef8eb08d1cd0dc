// SPDX-License-Identifier: Apache-2.0
#include "base/io/line_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sparkprof {
namespace {

// Gives a text in small pieces and then, if there is one, an error.
class Pieces : public ByteSource {
 public:
  Pieces(std::string text, size_t piece, std::optional<Error> error = std::nullopt)
      : text_(std::move(text)), piece_(piece), error_(std::move(error)) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    const size_t count = std::min({piece_, size, text_.size() - given_});
    if (count == 0 && error_) return tl::unexpected(*std::exchange(error_, std::nullopt));
    text_.copy(bytes, count, given_);
    given_ += count;
    return count;
  }

 private:
  std::string text_;
  size_t piece_;
  size_t given_ = 0;
  std::optional<Error> error_;
};

std::vector<std::string> Blocks(LineReader* reader) {
  std::vector<std::string> blocks;
  for (std::string_view block = reader->Next(); !block.empty(); block = reader->Next()) blocks.emplace_back(block);
  return blocks;
}

std::vector<std::string> ExchangedBlocks(LineReader* reader) {
  std::vector<std::string> blocks;
  LineBlock two[2];
  for (size_t next = 0;; next = 1 - next) {
    reader->Next(&two[next]);
    if (two[next].lines.empty()) return blocks;
    blocks.emplace_back(two[next].lines);
    if (blocks.size() > 1) {
      EXPECT_EQ(blocks[blocks.size() - 2], two[1 - next].lines) << "the block before is still valid";
    }
  }
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string joined;
  for (const std::string& part : parts) joined += part;
  return joined;
}

TEST(LineReader, ExchangedBlocksHaveTheSameLinesAlsoAfterLongOnes) {
  std::string text;
  for (int line = 0; line < 300; ++line)
    text += std::string(line % 100 == 50 ? 900 : static_cast<size_t>(line % 9), 'a' + line % 26) + "\n";
  text += "the last one";
  for (const size_t piece : {1, 7, 64, 100'000}) {
    const LineLimits limits{.block_bytes = 64, .max_line_bytes = 1000};
    LineReader views(std::make_unique<Pieces>(text, piece), limits);
    LineReader exchanged(std::make_unique<Pieces>(text, piece), limits);
    const std::vector<std::string> blocks = ExchangedBlocks(&exchanged);
    EXPECT_EQ(Joined(blocks), text);
    EXPECT_GT(blocks.size(), 10u);
    for (size_t block = 0; block + 1 < blocks.size(); ++block) EXPECT_EQ(blocks[block].back(), '\n');
    EXPECT_EQ(Joined(Blocks(&views)), text);
  }
}

TEST(LineReader, EveryBlockButTheLastEndsWithALineWhateverTheSourceGives) {
  std::string text;
  for (int line = 0; line < 200; ++line) text += std::string(static_cast<size_t>(line * 7 % 50), 'x') + "\n";
  text += "the last one";
  for (const size_t piece : {1, 3, 7, 64, 100'000}) {
    LineReader reader(std::make_unique<Pieces>(text, piece), {.block_bytes = 64, .max_line_bytes = 1000});
    const std::vector<std::string> blocks = Blocks(&reader);
    EXPECT_EQ(Joined(blocks), text);
    EXPECT_GT(blocks.size(), 10u);
    for (size_t block = 0; block + 1 < blocks.size(); ++block) EXPECT_EQ(blocks[block].back(), '\n');
    EXPECT_EQ(reader.DroppedLines(), 0);
    EXPECT_EQ(reader.Bytes(), static_cast<int64_t>(text.size()));
  }
}

TEST(LineReader, ALineBeyondTheLimitIsEmptyAndCountedAndCostsNoOther) {
  const std::string text = "before\n" + std::string(5000, 'x') + "\nafter\n" + std::string(4000, 'y');
  for (const size_t piece : {1, 13, 100'000}) {
    LineReader reader(std::make_unique<Pieces>(text, piece), {.block_bytes = 64, .max_line_bytes = 1000});
    EXPECT_EQ(Joined(Blocks(&reader)), "before\n\nafter\n");
    EXPECT_EQ(reader.DroppedLines(), 2);
    EXPECT_EQ(reader.DroppedBytes(), 9000);
  }
}

TEST(LineReader, ALineLongerThanABlockIsDeliveredWhole) {
  const std::string text = "a\n" + std::string(900, 'x') + "\nb\n";
  LineReader reader(std::make_unique<Pieces>(text, 10), {.block_bytes = 16, .max_line_bytes = 1000});
  EXPECT_EQ(Joined(Blocks(&reader)), text);
}

TEST(LineReader, WhatCameBeforeAnErrorIsDelivered) {
  LineReader reader(std::make_unique<Pieces>("one\ntwo\nthr", 4, Error{"the file is cut"}));
  EXPECT_EQ(Joined(Blocks(&reader)), "one\ntwo\nthr");
  ASSERT_TRUE(reader.SourceError().has_value());
  EXPECT_EQ(reader.SourceError()->message, "the file is cut");
}

TEST(LineReader, AnEmptySourceHasNoBlock) {
  LineReader reader(ViewSource(""));
  EXPECT_TRUE(reader.Next().empty());
  EXPECT_TRUE(reader.Next().empty());
  EXPECT_FALSE(reader.SourceError().has_value());
}

}  // namespace
}  // namespace sparkprof
