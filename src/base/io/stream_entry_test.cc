// SPDX-License-Identifier: Apache-2.0
#include "base/io/stream_entry.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "base/testing/compressed.h"

namespace sparkprof {
namespace {

// Different lines, so that every place of the text is recognized.
std::string NumberedLines(size_t size) {
  std::string text;
  for (int line = 0; text.size() < size; ++line) text += "{\"Event\":\"E\",\"n\":" + std::to_string(line) + "}\n";
  return text;
}

std::string ZstdFrames(std::string_view text) { return InBlocks(text, 20'000, Zstd); }

// Without the end of the stream, as in a file that Spark still writes.
std::string Lz4Blocks(std::string_view text) { return InBlocks(text, 32 << 10, Lz4Chunk); }

std::string RandomBytes(size_t size) {
  std::mt19937 random(7);
  std::string bytes;
  while (bytes.size() < size) bytes += static_cast<char>(random());
  return bytes;
}

struct EnteredCodec {
  const char* name;
  Codec codec;
  std::string (*compress)(std::string_view);
};

class StreamEntryTest : public testing::TestWithParam<EnteredCodec> {
 protected:
  ~StreamEntryTest() override { std::filesystem::remove(path_); }

  void Write(std::string_view stored) { std::ofstream(path_, std::ios::binary) << stored; }

  std::string From(int64_t entry, std::optional<Error>* error) {
    const auto source = OpenAtEntry(path_, GetParam().codec, entry);
    return source ? ReadUpTo(source->get(), size_t{1} << 30, error) : std::string();
  }

  std::optional<int64_t> Find(int64_t offset) { return FindEntry(path_, GetParam().codec, offset); }

  const std::string path_ = testing::TempDir() + "stream_entry-" + std::to_string(getpid());
};

TEST_P(StreamEntryTest, EachEntryGivesTheRestOfTheText) {
  const std::string text = NumberedLines(1'000'000);
  Write(GetParam().compress(text));
  EXPECT_EQ(EnterableCodec(path_), GetParam().codec);
  size_t count = 0;
  size_t longest = text.size() + 1;
  for (std::optional<int64_t> entry = Find(0); entry; entry = Find(*entry + 1), ++count) {
    std::optional<Error> error;
    const std::string rest = From(*entry, &error);
    EXPECT_FALSE(error) << error->message;
    ASSERT_TRUE(text.ends_with(rest)) << *entry;
    ASSERT_LT(rest.size(), longest) << "the next entry is further on";
    longest = rest.size();
  }
  EXPECT_GE(count, text.size() / (32 << 10));
  EXPECT_LE(longest, size_t{32} << 10) << "the last entry is the last frame or block";
}

TEST_P(StreamEntryTest, AnEntryFarBehindIsFoundOnlyWithin32Mebibytes) {
  const std::string frame = GetParam().compress("a line\n");
  Write(frame + std::string(3 << 20, '\0') + frame);
  EXPECT_EQ(Find(1), (3 << 20) + static_cast<int64_t>(frame.size()));
  Write(frame + std::string(40 << 20, '\0') + frame);
  EXPECT_FALSE(Find(1));
}

TEST_P(StreamEntryTest, WhatOnlyLooksLikeAnEntryIsPassedOver) {
  const std::string magic = GetParam().compress("x").substr(0, 8);
  // Does not compress, so that it is stored as it is.
  const std::string noise = RandomBytes(5'000) + magic.substr(0, 4) + RandomBytes(100) + magic + RandomBytes(5'000);
  const std::string first = GetParam().compress(noise);
  ASSERT_NE(first.find(magic, 1), std::string::npos);
  Write(first + GetParam().compress("a line\n"));
  EXPECT_EQ(Find(1), static_cast<int64_t>(first.size()));
}

TEST_P(StreamEntryTest, OfACutFileTheWholeFramesAndBlocksAreEntries) {
  const std::string text = NumberedLines(100'000);
  const std::string stored = GetParam().compress(text);
  for (size_t size = 0; size < stored.size(); size += 997) {
    Write(std::string_view(stored).substr(0, size));
    for (std::optional<int64_t> entry = Find(0); entry; entry = Find(*entry + 1)) {
      std::optional<Error> error;
      ASSERT_NE(text.find(From(*entry, &error)), std::string::npos) << size << " " << *entry;
    }
  }
}

TEST_P(StreamEntryTest, TheEndOfAFileHasTheLastText) {
  const std::string text = NumberedLines(300'000);
  const std::string stored = GetParam().compress(text);
  const std::string_view end = std::string_view(stored).substr(stored.size() / 2);
  EXPECT_EQ(TextAtEnd(end, 1'000), text.substr(text.size() - 1'000));
  const std::string more = TextAtEnd(end, text.size());
  EXPECT_GT(more.size(), text.size() / 4);
  EXPECT_TRUE(text.ends_with(more));
  EXPECT_EQ(TextAtEnd(std::string_view(stored).substr(1, 100), 1'000), "") << "no frame or block begins in it";
}

TEST_P(StreamEntryTest, DamageIsPassedOverOrAnError) {
  const std::string text = NumberedLines(200'000);
  const std::string stored = GetParam().compress(text);
  std::mt19937 random(3);
  for (int attempt = 0; attempt < 200; ++attempt) {
    std::string damaged = stored;
    const size_t at = random() % damaged.size();
    damaged[at] ^= static_cast<char>(1 + random() % 255);
    Write(damaged);
    // Behind the frame or block that is damaged, everything is as it was.
    const std::optional<int64_t> entry = Find(static_cast<int64_t>(at) + 1);
    if (!entry) continue;
    std::optional<Error> error;
    EXPECT_TRUE(text.ends_with(From(*entry, &error))) << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, StreamEntryTest,
                         testing::Values(EnteredCodec{"zstd", Codec::kZstd, ZstdFrames},
                                         EnteredCodec{"lz4", Codec::kLz4Block, Lz4Blocks}),
                         [](const auto& codec) { return std::string(codec.param.name); });

class EnterableCodecTest : public testing::Test {
 protected:
  ~EnterableCodecTest() override { std::filesystem::remove(path_); }

  Codec Of(std::string_view stored) {
    std::ofstream(path_, std::ios::binary) << stored;
    return EnterableCodec(path_);
  }

  const std::string path_ = testing::TempDir() + "enterable-" + std::to_string(getpid());
};

TEST_F(EnterableCodecTest, PlainNestedAndOtherFilesCannotBeEntered) {
  EXPECT_EQ(Of("plain text\n"), Codec::kNone);
  EXPECT_EQ(Of(""), Codec::kNone);
  EXPECT_EQ(Of("\x1f\x8b\x08 and so on"), Codec::kNone);
  EXPECT_EQ(Of(Zstd(Zstd("a line\n"))), Codec::kNone);
  EXPECT_EQ(EnterableCodec(path_ + "-missing"), Codec::kNone);
}

TEST(FindEntryInMemory, AFileOfNothingButMagicNumbersIsGivenUp) {
  std::string magics;
  while (magics.size() < 1 << 20) magics += "\x28\xb5\x2f\xfd";
  EXPECT_FALSE(FindEntry(Codec::kZstd, magics, magics.size()));
}

}  // namespace
}  // namespace sparkprof
