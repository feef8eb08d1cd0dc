// SPDX-License-Identifier: Apache-2.0
// Each codec's framing is written here with the codec's own library, as Spark and Java write it.
#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>
#include <snappy.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/io/compression.h"
#include "base/testing/compressed.h"

namespace sparkprof {
namespace {

constexpr size_t kBlock = 32 << 10;  // block size of Spark's snappy streams

std::string SomeLines(size_t size) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < size) text += "{\"Event\":\"E\",\"n\":" + std::to_string(random() % 100'000) + "}\n";
  text.resize(size);
  return text;
}

std::string BigEndian(uint32_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
  return text;
}

std::string Gzip(std::string_view text) {
  std::string member(2 * text.size() + 1024, '\0');
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uint32_t>(text.size());
  stream.next_out = reinterpret_cast<uint8_t*>(member.data());
  stream.avail_out = static_cast<uint32_t>(member.size());
  isal_deflate(&stream);
  member.resize(stream.total_out);
  return member;
}

std::string Snappy(std::string_view text) {
  const std::string header = std::string("\x82SNAPPY\0", 8) + BigEndian(1, 4) + BigEndian(1, 4);
  return header + InBlocks(text, kBlock, [](std::string_view block) {
           std::string data;
           snappy::Compress(block.data(), block.size(), &data);
           return BigEndian(static_cast<uint32_t>(data.size()), 4) + data;
         });
}

// Greedy, with copies of any length and distance that the format has.
std::string LzfBlock(std::string_view text) {
  std::string data, literals;
  const auto flush = [&] {
    for (std::string_view rest = literals; !rest.empty(); rest.remove_prefix(std::min<size_t>(32, rest.size()))) {
      data += static_cast<char>(std::min<size_t>(32, rest.size()) - 1);
      data += rest.substr(0, 32);
    }
    literals.clear();
  };
  for (size_t at = 0; at < text.size();) {
    const size_t window = at < 8000 ? 0 : at - 8000;
    const size_t in_window = text.substr(window, at + 3 - window).find(text.substr(at, 4));
    const size_t found = window + in_window;
    if (in_window == std::string_view::npos || at + 4 > text.size()) {
      literals += text[at++];
      continue;
    }
    flush();
    size_t length = 4;
    while (at + length < text.size() && length < 264 && text[found + length] == text[at + length]) ++length;
    const size_t distance = at - found - 1, code = length - 2;
    data += static_cast<char>((code < 7 ? code : 7) << 5 | distance >> 8);
    if (code >= 7) data += static_cast<char>(code - 7);
    data += static_cast<char>(distance);
    at += length;
  }
  flush();
  return data;
}

std::string Lzf(std::string_view text) {
  return InBlocks(text, 0xffff, [](std::string_view block) {
    const std::string data = LzfBlock(block);
    if (data.size() >= block.size())
      return std::string("ZV\0", 3) + BigEndian(static_cast<uint32_t>(block.size()), 2) + std::string(block);
    return "ZV\1" + BigEndian(static_cast<uint32_t>(data.size()), 2) +
           BigEndian(static_cast<uint32_t>(block.size()), 2) + data;
  });
}

struct NamedCodec {
  const char* name;
  Codec codec;
  std::string (*compress)(std::string_view);
};
const NamedCodec kCodecs[] = {{"gzip", Codec::kGzip, Gzip},
                              {"zstd", Codec::kZstd, Zstd},
                              {"lz4", Codec::kLz4Block, Lz4},
                              {"snappy", Codec::kSnappy, Snappy},
                              {"lzf", Codec::kLzf, Lzf}};

struct Expanded {
  std::string text;
  std::string error;
};

Expanded Expand(std::string_view compressed, size_t piece = 4096, const ExpansionLimits& limits = {}) {
  const std::unique_ptr<ByteSource> source = Decompress(ViewSource(compressed), "the-file", limits);
  Expanded expanded;
  std::string buffer(piece, '\0');
  for (;;) {
    const Result<size_t> got = source->Read(buffer.data(), buffer.size());
    if (!got) {
      expanded.error = got.error().message;
      const Result<size_t> after = source->Read(buffer.data(), buffer.size());
      EXPECT_TRUE(after.has_value() && *after == 0) << "an error ends the source";
      return expanded;
    }
    if (*got == 0) return expanded;
    expanded.text.append(buffer, 0, *got);
  }
}

class DecompressTest : public testing::TestWithParam<NamedCodec> {};

TEST_P(DecompressTest, GivesBackWhatWasCompressedWhateverTheSizesOfReads) {
  const std::string text = SomeLines(200'000);
  const std::string compressed = GetParam().compress(text);
  ASSERT_EQ(DetectCodec(compressed), GetParam().codec);
  EXPECT_LT(compressed.size(), text.size());
  for (const size_t piece : {1, 7, 4096, 1 << 20}) {
    const Expanded expanded = Expand(compressed, piece);
    EXPECT_EQ(expanded.error, "");
    EXPECT_TRUE(expanded.text == text) << "reads of " << piece << " bytes";
  }
}

TEST_P(DecompressTest, BytesThatDoNotCompressComeBackToo) {
  std::mt19937 random(2);
  std::string text;
  while (text.size() < 100'000) text += static_cast<char>(random());
  EXPECT_TRUE(Expand(GetParam().compress(text)).text == text);
}

TEST_P(DecompressTest, AFewBytesThatExpandToManyComeBackWhole) {
  const std::string text(1'000'000, 'x');
  for (const size_t piece : {1000, 1 << 16}) {
    const Expanded expanded = Expand(GetParam().compress(text), piece);
    EXPECT_EQ(expanded.error, "");
    EXPECT_EQ(expanded.text.size(), text.size());
  }
}

TEST_P(DecompressTest, StreamsThatWerePutTogetherAreOneStream) {
  const std::string text = SomeLines(50'000);
  const Expanded expanded =
      Expand(GetParam().compress(text) + GetParam().compress("second\n") + GetParam().compress(text));
  EXPECT_EQ(expanded.error, "");
  EXPECT_TRUE(expanded.text == text + "second\n" + text);
}

TEST_P(DecompressTest, OfACutStreamEverythingBeforeTheCutIsThere) {
  const std::string text = SomeLines(300'000);
  const std::string compressed = GetParam().compress(text);
  size_t longest = 0;
  for (size_t size = kCodecMagicBytes + 1; size < compressed.size(); size += 997) {
    const Expanded expanded = Expand(std::string_view(compressed).substr(0, size));
    ASSERT_TRUE(text.starts_with(expanded.text)) << size;
    if (expanded.text.size() < text.size() && !expanded.error.empty()) {
      EXPECT_NE(expanded.error.find("the-file"), std::string::npos);
      EXPECT_NE(expanded.error.find("byte"), std::string::npos) << expanded.error;
    }
    longest = std::max(longest, expanded.text.size());
  }
  EXPECT_GT(longest, text.size() / 3);
}

TEST_P(DecompressTest, DamageIsAnErrorOrOtherTextNeverACrash) {
  const std::string text = SomeLines(100'000);
  const std::string compressed = GetParam().compress(text);
  std::mt19937 random(3);
  int noticed = 0;
  constexpr int kTries = 300;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    std::string damaged = compressed;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 + random() % 255);
    const Expanded expanded = Expand(damaged);
    if (!expanded.error.empty() || expanded.text != text) ++noticed;
  }
  EXPECT_GT(noticed, kTries / 2);
}

TEST_P(DecompressTest, CompressionWithinCompressionIsTakenOffToALimit) {
  const std::string text = SomeLines(10'000);
  std::string nested = text;
  for (int layer = 0; layer < 3; ++layer) nested = GetParam().compress(nested);
  EXPECT_TRUE(Expand(nested).text == text);
  ExpansionLimits limits;
  limits.max_layers = 2;
  EXPECT_NE(Expand(nested, 4096, limits).error.find("--max-layers"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Codecs, DecompressTest, testing::ValuesIn(kCodecs),
                         [](const testing::TestParamInfo<NamedCodec>& codec) { return std::string(codec.param.name); });

TEST(Decompress, PlainBytesStayAsTheyAre) {
  EXPECT_EQ(Expand("plain\n").text, "plain\n");
  EXPECT_EQ(Expand("").text, "");
}

TEST(Decompress, ExpandingBeyondTheLimitsNamesTheLimit) {
  const std::string zeros(1 << 20, '\0');
  ExpansionLimits limits;
  limits.max_bytes = 100'000;
  const Expanded limited = Expand(Zstd(zeros), 4096, limits);
  EXPECT_NE(limited.error.find("--max-expanded"), std::string::npos);
  EXPECT_LE(limited.text.size(), 100'000u);

  // A bomb: 400 MiB of zeros, compressed twice into some hundred bytes.
  std::string many;
  for (int megabyte = 0; megabyte < 400; ++megabyte) many += Zstd(zeros);
  const Expanded bomb = Expand(Zstd(many), 1 << 20);
  EXPECT_NE(bomb.error.find("--max-ratio"), std::string::npos);
  EXPECT_LE(static_cast<int64_t>(bomb.text.size()), ExpansionLimits::kRatioFreeBytes + (1 << 20));
}

// So many bytes of nothing in particular.
class EndlessSource : public ByteSource {
 public:
  explicit EndlessSource(size_t size) : left_(size) {}
  Result<size_t> Read(char*, size_t size) override {
    const size_t now = std::min(size, left_);
    left_ -= now;
    return now;
  }

 private:
  size_t left_;
};

TEST(Decompress, WhatOneArchiveHoldsExpandsWithinTheLimitsTogether) {
  static constexpr size_t kEach = size_t{200} << 20;
  ExpansionLimits limits;
  limits.whole = std::make_shared<ExpansionLimits::Whole>(100'000);
  const auto read_entry = [&limits](const std::string& name) {
    const auto source = LimitExpansion(std::make_unique<EndlessSource>(kEach), kEach / 500, name, limits);
    std::vector<char> block(size_t{1} << 20);
    while (true) {
      const Result<size_t> got = source->Read(block.data(), block.size());
      if (!got) return got.error().message;
      if (*got == 0) return std::string();
    }
  };
  EXPECT_EQ(read_entry("a.zip!first"), "");
  EXPECT_EQ(read_entry("a.zip!second"),
            "a.zip!second: its archive expands to more than 1000 times its size, the limit of --max-ratio: "
            "possible decompression bomb");
}

TEST(Decompress, ALengthThatLiesDoesNotCostItsMemory) {
  const std::string snappy =
      std::string("\x82SNAPPY\0", 8) + BigEndian(1, 4) + BigEndian(1, 4) + BigEndian(0x03ffffff, 4) + "x";
  EXPECT_NE(Expand(snappy).error.find("truncated"), std::string::npos);
  const std::string lz4 = "LZ4Block\x25" + LittleEndian(10) + LittleEndian(0x03ffffff) + LittleEndian(0) + "0123456789";
  EXPECT_NE(Expand(lz4).error.find("damaged"), std::string::npos);
}

TEST(Decompress, AFrameOfLz4BlocksWithAWrongChecksumIsDamaged) {
  std::string chunk = Lz4Chunk("some text, some text, some text, some text");
  chunk[17] ^= 1;
  EXPECT_NE(Expand(chunk).error.find("checksum"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof
