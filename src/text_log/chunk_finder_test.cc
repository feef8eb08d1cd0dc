// SPDX-License-Identifier: Apache-2.0
#include "text_log/chunk_finder.h"

#include <gtest/gtest.h>

#include <vector>

namespace sparkprof {
namespace {

using Ids = std::vector<uint32_t>;

// Adds a line behind the one before; its number is its time too.
void AddLine(ChunkFinder* finder, uint32_t id, const char* thread, int64_t* line) {
  ++*line;
  finder->Add(id, 0, thread, *line, *line);
}

TEST(ChunkFinderTest, ARepeatedSequenceIsFoundBetweenOtherLines) {
  ChunkFinder finder;
  uint32_t noise = 7;
  int64_t line = 0;
  for (int i = 0; i < 50; ++i) {
    for (const uint32_t id : Ids{1, 2, 3, 4}) {
      AddLine(&finder, id, "", &line);
      noise = noise * 1664525 + 1013904223;
      if (noise >> 31 != 0) AddLine(&finder, 5 + (noise >> 20) % 11, "", &line);
    }
  }
  const std::vector<LogChunk> chunks = finder.Chunks();
  ASSERT_FALSE(chunks.empty());
  EXPECT_EQ(chunks[0].repeats, 50);
  EXPECT_EQ(chunks[0].templates, (Ids{1, 2, 3, 4}));
  EXPECT_EQ(chunks[0].where[0].line, 1);
  EXPECT_EQ(chunks[0].first_ns, 1);
}

TEST(ChunkFinderTest, ThreadsDoingTheSameAtOnceAreAddedUp) {
  for (const bool names_threads : {false, true}) {
    ChunkFinder finder;
    int64_t line = 0;
    for (int i = 0; i < 40; ++i) {
      for (const uint32_t id : Ids{1, 2, 3}) {
        for (const char* const thread : {"a", "b", "c"}) AddLine(&finder, id, names_threads ? thread : "", &line);
      }
    }
    const std::vector<LogChunk> chunks = finder.Chunks();
    ASSERT_EQ(chunks.size(), 1u);
    EXPECT_EQ(chunks[0].repeats, 120);
    EXPECT_EQ(chunks[0].templates, (Ids{1, 2, 3}));
  }
}

TEST(ChunkFinderTest, ALineThatComesTwiceInASequenceIsThereTwice) {
  ChunkFinder finder;
  int64_t line = 0;
  for (int i = 0; i < 30; ++i) {
    for (const uint32_t id : Ids{1, 9, 2, 9}) AddLine(&finder, id, "", &line);
  }
  const std::vector<LogChunk> chunks = finder.Chunks();
  ASSERT_EQ(chunks.size(), 1u);
  EXPECT_EQ(chunks[0].repeats, 30);
  EXPECT_EQ(chunks[0].templates, (Ids{1, 9, 2, 9}));
}

TEST(ChunkFinderTest, LinesThatHaveNothingToDoWithEachOtherStayApart) {
  ChunkFinder finder;
  int64_t line = 0;
  for (int i = 0; i < 20; ++i) AddLine(&finder, 1, "", &line);
  for (int i = 0; i < 100; ++i) AddLine(&finder, 2, "", &line);
  for (int i = 0; i < 20; ++i) AddLine(&finder, 3, "", &line);
  const std::vector<LogChunk> chunks = finder.Chunks();
  ASSERT_EQ(chunks.size(), 3u);
  EXPECT_EQ(chunks[0].repeats, 100);
  EXPECT_TRUE(ChunkFinder().Chunks().empty());
}

TEST(ChunkFinderTest, TimeIsLinear) {
  // Lines that never repeat in the same order: a quadratic search would not end.
  ChunkFinder finder;
  uint32_t random = 1;
  for (int64_t line = 1; line <= 200'000; ++line) {
    random = random * 1664525 + 1013904223;
    finder.Add((random >> 16) % 500, 0, "", line, line);
  }
  EXPECT_FALSE(finder.Chunks().empty());
}

}  // namespace
}  // namespace sparkprof
