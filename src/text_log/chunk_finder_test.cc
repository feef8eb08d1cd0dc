// SPDX-License-Identifier: Apache-2.0
#include "text_log/chunk_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
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

// Adds lines of each template `counts` times, in rounds, so that each round is one sequence of those that are left.
std::vector<LogChunk> ChunksOfCounts(const std::vector<int>& counts) {
  ChunkFinder finder;
  int64_t line = 0;
  for (int round = 0; round < *std::max_element(counts.begin(), counts.end()); ++round) {
    for (uint32_t id = 0; id < counts.size(); ++id) {
      if (round < counts[id]) AddLine(&finder, id, "", &line);
    }
  }
  return finder.Chunks();
}

TEST(ChunkFinderTest, TemplatesOfAboutTheSameCountAreOneSequence) {
  for (const auto& [counts, together] : std::vector<std::pair<std::vector<int>, bool>>{
           {{100, 105}, true},   // a twentieth of the larger
           {{100, 106}, false},  // more
           {{10, 11}, true},     // one
           {{10, 12}, false},
           {{2, 2}, true},
       }) {
    const std::vector<LogChunk> chunks = ChunksOfCounts(counts);
    ASSERT_EQ(chunks.size(), together ? 1u : 2u) << counts[0] << " and " << counts[1];
    EXPECT_EQ(chunks[0].repeats, together ? counts[0] : counts[1]);
  }
}

TEST(ChunkFinderTest, ALineThatOccursOnceIsNoSequence) {
  EXPECT_TRUE(ChunksOfCounts({1, 1}).empty());
  ASSERT_EQ(ChunksOfCounts({1, 2, 2}).size(), 1u);
  EXPECT_EQ(ChunksOfCounts({1, 2, 2})[0].templates, (Ids{1, 2}));
}

TEST(ChunkFinderTest, MostOfTheLinesMustFollow) {
  // 18 (nine tenths) or 17 of 20 lines of one template have one of the other within the window behind them.
  for (const int followed : {18, 17}) {
    ChunkFinder finder;
    int64_t line = 0;
    for (int i = 0; i < 20; ++i) {
      AddLine(&finder, 0, "", &line);
      if (i < followed) AddLine(&finder, 1, "", &line);
      for (uint32_t other = 0; other < 33; ++other) AddLine(&finder, 10 + other, "", &line);
    }
    for (int i = followed; i < 20; ++i) AddLine(&finder, 1, "", &line);
    bool together = false;
    for (const LogChunk& chunk : finder.Chunks()) {
      const bool has_first = std::count(chunk.templates.begin(), chunk.templates.end(), 0u) > 0;
      together |= has_first && std::count(chunk.templates.begin(), chunk.templates.end(), 1u) > 0;
    }
    EXPECT_EQ(together, followed == 18) << followed;
  }
}

TEST(ChunkFinderTest, ASequenceIsFoundAcrossTheWholeWindowAndNotBeyond) {
  for (const uint32_t between : {31u, 32u}) {
    ChunkFinder finder;
    int64_t line = 0;
    uint32_t other = 2;
    for (int i = 0; i < 10; ++i) {
      AddLine(&finder, 0, "", &line);
      for (uint32_t n = 0; n < between; ++n) AddLine(&finder, other++, "", &line);  // each occurs once
      AddLine(&finder, 1, "", &line);
      for (uint32_t n = 0; n < 40; ++n) AddLine(&finder, other++, "", &line);
    }
    EXPECT_EQ(finder.Chunks().size(), between == 31 ? 1u : 2u) << between;
  }
}

TEST(ChunkFinderTest, ALineThatIsRepeatedUpToFourTimesNeedsFiveSequences) {
  const auto chunks_of = [](int rounds, int times) {
    ChunkFinder finder;
    int64_t line = 0;
    for (int i = 0; i < rounds; ++i) {
      AddLine(&finder, 0, "", &line);
      AddLine(&finder, 1, "", &line);
      for (int n = 0; n < times; ++n) AddLine(&finder, 2, "", &line);
    }
    return finder.Chunks();
  };
  ASSERT_EQ(chunks_of(5, 4).size(), 1u);
  EXPECT_EQ(chunks_of(5, 4)[0].templates, (Ids{0, 1, 2, 2, 2, 2}));
  EXPECT_EQ(chunks_of(5, 4)[0].repeats, 5);
  EXPECT_EQ(chunks_of(5, 5).size(), 2u);
  EXPECT_EQ(chunks_of(4, 2).size(), 2u);
}

TEST(ChunkFinderTest, FilesAndThreadsAreStreamsOfTheirOwn) {
  ChunkFinder finder;
  int64_t line = 0;
  for (int i = 0; i < 40; ++i) {
    // 40 lines of another thread and of another file between the two.
    AddLine(&finder, 0, "main", &line);
    for (uint32_t n = 0; n < 40; ++n) {
      ++line;
      finder.Add(100, 1, "main", line, line);
    }
    for (uint32_t n = 0; n < 40; ++n) AddLine(&finder, 101, "other", &line);
    AddLine(&finder, 1, "main", &line);
  }
  const std::vector<LogChunk> chunks = finder.Chunks();
  ASSERT_EQ(chunks.size(), 3u);
  EXPECT_EQ(chunks[0].repeats, 1600);
  EXPECT_EQ(chunks[2].templates, (Ids{0, 1}));
  EXPECT_EQ(chunks[2].where.size(), ChunkFinder::kMaxPlaces);
}

TEST(ChunkFinderTest, PlacesAndTimesAreThoseOfTheSequence) {
  ChunkFinder finder;
  finder.Add(4, 2, "", 10, 0);  // a line without a time
  finder.Add(5, 2, "", 11, 1000);
  finder.Add(4, 2, "", 20, 2000);
  finder.Add(5, 2, "", 21, 3000);
  const std::vector<LogChunk> chunks = finder.Chunks();
  ASSERT_EQ(chunks.size(), 1u);
  ASSERT_EQ(chunks[0].where.size(), 2u);
  EXPECT_EQ(chunks[0].where[0].file, 2u);
  EXPECT_EQ(chunks[0].where[0].line, 10);
  EXPECT_EQ(chunks[0].where[1].line, 20);
  EXPECT_EQ(chunks[0].where[1].time_ns, 2000);
  EXPECT_EQ(chunks[0].first_ns, 2000);
  EXPECT_EQ(chunks[0].last_ns, 3000);
}

TEST(ChunkFinderTest, TheShortestRepetitionIsShown) {
  ChunkFinder finder;
  int64_t line = 0;
  uint32_t other = 10;
  for (int i = 0; i < 6; ++i) {
    AddLine(&finder, 0, "", &line);
    for (int n = 0; n < 6 - i; ++n) AddLine(&finder, other++, "", &line);
    // The last repetition, the shortest, has its lines in another order.
    AddLine(&finder, i < 5 ? 1 : 2, "", &line);
    AddLine(&finder, i < 5 ? 2 : 1, "", &line);
  }
  const std::vector<LogChunk> chunks = finder.Chunks();
  ASSERT_EQ(chunks.size(), 1u);
  EXPECT_EQ(chunks[0].templates, (Ids{0, 2, 1}));
}

TEST(ChunkFinderTest, MoreThreadsThanAreKeptDoNotMixTheirLines) {
  ChunkFinder finder;
  int64_t line = 0;
  for (int thread = 0; thread < 5000; ++thread) {
    const std::string name = std::to_string(thread);
    AddLine(&finder, 0, name.c_str(), &line);
    AddLine(&finder, 1, name.c_str(), &line);
  }
  const std::vector<LogChunk> chunks = finder.Chunks();
  ASSERT_EQ(chunks.size(), 1u);
  EXPECT_EQ(chunks[0].repeats, 5000);
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
