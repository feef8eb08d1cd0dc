// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"

namespace sparkprof {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

Result<size_t> Fill(size_t bytes) {
  std::vector<std::string> texts;
  for (size_t used = 0; used < bytes; used += 1000) texts.emplace_back(1000, 'x');
  return texts.size();
}

TEST(MemoryLimitTest, WorkWithinTheLimitHasItsResult) {
  const auto filled = WithinMemory(4 * kMiB, [] { return Fill(2 * kMiB); });
  ASSERT_TRUE(filled);
  EXPECT_EQ(filled->value(), 2098u);
}

TEST(MemoryLimitTest, WorkThatNeedsMoreHasNone) {
  EXPECT_FALSE(WithinMemory(kMiB, [] { return Fill(2 * kMiB); }));
  EXPECT_FALSE(WithinMemory(kMiB, []() -> Result<size_t> { return std::string(2 * kMiB, 'x').size(); }));
  EXPECT_FALSE(WithinMemory(kMiB, []() -> Result<size_t> {
    std::map<size_t, size_t> nodes;
    for (size_t i = 0; i < 100'000; ++i) nodes[i] = i;
    return nodes.size();
  }));
}

TEST(MemoryLimitTest, WhatInnerWorkLeavesCountsForTheOuter) {
  const auto repeat = [](size_t times) {
    return WithinMemory(4 * kMiB, [&] {
      std::vector<std::string> kept;
      for (size_t i = 0; i < times; ++i) kept.push_back(*WithinMemory(2 * kMiB, [] { return std::string(kMiB, 'x'); }));
      return kept.size();
    });
  };
  EXPECT_EQ(repeat(3), size_t{3});
  EXPECT_FALSE(repeat(6));
}

TEST(MemoryLimitTest, WhatIsFreedMayBeUsedAgain) {
  EXPECT_TRUE(WithinMemory(2 * kMiB, [] {
    for (int i = 0; i < 100; ++i) (void)Fill(kMiB);
    return Result<size_t>(0);
  }));
}

TEST(MemoryLimitTest, ALibraryThatSwallowsTheFailureDoesNotHideIt) {
  EXPECT_FALSE(WithinMemory(kMiB, []() -> Result<size_t> {
    delete[] new (std::nothrow) char[2 * kMiB];
    return 0;
  }));
}

TEST(MemoryLimitTest, ALimitHoldsUntilItsEndAndForItsThread) {
  const MemoryLimit outer(64 * kMiB);
  EXPECT_FALSE(WithinMemory(kMiB, [] { return Fill(2 * kMiB); }));
  EXPECT_TRUE(Fill(2 * kMiB));
  EXPECT_FALSE(outer.WasExceeded());
  EXPECT_TRUE(WithinMemory(kMiB, []() -> Result<size_t> {
    std::jthread([] { (void)Fill(2 * kMiB); });
    const MemoryLimit::Pause pause;
    return Fill(2 * kMiB);
  }));
}

TEST(MemoryLimitTest, TheMessageHasTheLimit) {
  EXPECT_EQ(TooLarge(64 * kMiB), "too large: expands to more than 64 MiB");
}

}  // namespace
}  // namespace sparkprof
