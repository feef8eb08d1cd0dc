// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_chunk_header.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/time.h"

namespace sparkprof {
namespace {

struct Fields {
  uint32_t version = 2 << 16;
  uint64_t size = 1000;
  uint64_t constants = 500;
  uint64_t metadata = 700;
  uint64_t ticks_per_second = 1'000'000;
  uint32_t features = 1;
};

void Append(uint64_t value, size_t size, std::string* out) {
  for (size_t i = size; i-- > 0;) *out += static_cast<char>(value >> 8 * i);
}

std::string Bytes(const Fields& fields) {
  std::string bytes("FLR\0", 4);
  Append(fields.version, 4, &bytes);
  for (const uint64_t field : {fields.size, fields.constants, fields.metadata, uint64_t{1'700'000'000'000'000'000},
                               uint64_t{60'000'000'000}, uint64_t{5'000'000}, fields.ticks_per_second}) {
    Append(field, 8, &bytes);
  }
  Append(fields.features, 4, &bytes);
  return bytes;
}

std::string Problem(const Fields& fields) {
  const auto header = ParseJfrChunkHeader(Bytes(fields), "a.jfr", 12);
  return header ? "" : header.error().message;
}

TEST(JfrChunkHeader, EveryFieldIsRead) {
  const auto header = ParseJfrChunkHeader(Bytes({.version = 2 << 16 | 1}) + "the chunk", "a.jfr", 0);
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_EQ(header->size, 1000u);
  EXPECT_EQ(header->constants_offset, 500u);
  EXPECT_EQ(header->metadata_offset, 700u);
  EXPECT_EQ(header->start_epoch_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(header->duration_ns, 60'000'000'000);
  EXPECT_EQ(header->start_ticks, 5'000'000);
  EXPECT_EQ(header->ticks_per_second, 1'000'000);
  EXPECT_FALSE(header->IsBeingWritten());
}

TEST(JfrChunkHeader, LimitsAreExact) {
  EXPECT_EQ(Problem({.ticks_per_second = 1}), "");
  EXPECT_EQ(Problem({.ticks_per_second = 9'000'000'000}), "");
  EXPECT_NE(Problem({.ticks_per_second = 0}).find("0 ticks per second"), std::string::npos);
  EXPECT_NE(Problem({.ticks_per_second = 9'000'000'001}).find("9000000001 ticks"), std::string::npos);
  EXPECT_NE(Problem({.ticks_per_second = ~uint64_t{0}}).find("-1 ticks"), std::string::npos);
  EXPECT_EQ(Problem({.size = 69, .constants = 68, .metadata = 68}), "");
  EXPECT_EQ(Problem({.size = 0xFFFFFFFF, .constants = 0xFFFFFFFE, .metadata = 0xFFFFFFFE}), "");
  EXPECT_NE(Problem({.size = 0x100000000}).find("invalid chunk size"), std::string::npos);
  EXPECT_NE(Problem({.size = 67, .constants = 1, .metadata = 1}).find("invalid chunk size"), std::string::npos);
  for (const Fields& outside :
       {Fields{.constants = 67}, Fields{.metadata = 67}, Fields{.constants = 1000}, Fields{.metadata = 1000}}) {
    EXPECT_NE(Problem(outside).find("outside the chunk of 1000 bytes"), std::string::npos);
  }
}

TEST(JfrChunkHeader, OtherVersionsAndIntegersAreRefused) {
  EXPECT_NE(Problem({.version = 1 << 16}).find("a.jfr: offset 12: unsupported JFR version 1.0"), std::string::npos);
  EXPECT_NE(Problem({.version = 3 << 16 | 2}).find("unsupported JFR version 3.2"), std::string::npos);
  EXPECT_NE(Problem({.features = 2}).find("uncompressed integers"), std::string::npos);
  EXPECT_EQ(Problem({.features = 3}), "");
}

TEST(JfrChunkHeader, AChunkThatIsBeingWrittenNeedsNoSize) {
  for (const Fields& writing :
       {Fields{.size = 0, .constants = 0, .metadata = 700}, Fields{.size = 0, .constants = 500, .metadata = 0}}) {
    const auto header = ParseJfrChunkHeader(Bytes(writing), "a.jfr", 0);
    ASSERT_TRUE(header) << header.error().message;
    EXPECT_TRUE(header->IsBeingWritten());
  }
}

TEST(JfrChunkHeader, ACutHeaderIsAnErrorWithItsSize) {
  const std::string bytes = Bytes({});
  EXPECT_NE(ParseJfrChunkHeader("", "a.jfr", 0).error().message.find("found the end of the file"), std::string::npos);
  EXPECT_NE(ParseJfrChunkHeader("F\"\\\x7F", "a.jfr", 0).error().message.find(R"("F\x22\x5c\x7f")"), std::string::npos);
  EXPECT_NE(ParseJfrChunkHeader("FL ~", "a.jfr", 0).error().message.find(R"("FL ~")"), std::string::npos);
  EXPECT_NE(ParseJfrChunkHeader(bytes.substr(0, 67), "a.jfr", 0).error().message.find("found 67"), std::string::npos);
  EXPECT_TRUE(ParseJfrChunkHeader(bytes, "a.jfr", 0));
}

TEST(JfrChunkHeader, TicksBecomeNanosecondsWithoutOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();
  const JfrChunkHeader header{.start_epoch_ns = 100, .start_ticks = 10, .ticks_per_second = 3};
  EXPECT_EQ(header.TicksToNanos(3), kNanosPerSecond);
  EXPECT_EQ(header.TicksToNanos(4), 1'333'333'333);
  EXPECT_EQ(header.TicksToNanos(-4), -1'333'333'333);
  EXPECT_EQ(header.TicksToNanos(kMax), kMax);
  EXPECT_EQ(header.TicksToNanos(kLeast), kLeast);
  EXPECT_EQ(header.TicksToEpoch(13), 100 + kNanosPerSecond);
  EXPECT_EQ(header.TicksToEpoch(kMax), kMax);
  EXPECT_EQ(header.TicksToEpoch(kLeast), 100) << "the difference to the start does not fit";
  const JfrChunkHeader nanos{.start_epoch_ns = 7, .ticks_per_second = kNanosPerSecond};
  EXPECT_EQ(nanos.TicksToNanos(kMax), kMax);
  EXPECT_EQ(nanos.TicksToEpoch(kMax), kMax);
}

}  // namespace
}  // namespace sparkprof
