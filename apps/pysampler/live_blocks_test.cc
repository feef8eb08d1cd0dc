// SPDX-License-Identifier: Apache-2.0
#include "live_blocks.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

namespace sparkprof {
namespace {

TEST(LiveBlocks, HaveWhatAMapHasAfterManyRandomChanges) {
  const auto blocks = std::make_unique<LiveBlocks>();
  std::map<uint64_t, uint64_t> expected;
  std::mt19937_64 random(1);
  for (uint64_t number = 1; number <= 100'000; ++number) {
    const uint64_t address = 0x7F00'0000'0000 + random() % 40'000 * 512;
    if (random() % 2 == 0) {
      ASSERT_TRUE(blocks->Add(address, number));
      expected[address] = number;
    } else {
      const auto found = expected.find(address);
      ASSERT_EQ(blocks->Remove(address), found == expected.end() ? 0 : found->second);
      if (found != expected.end()) expected.erase(found);
    }
    ASSERT_EQ(blocks->Size(), expected.size());
  }
  for (const auto& [address, number] : expected) {
    EXPECT_TRUE(blocks->MayHave(address));
    EXPECT_EQ(blocks->Remove(address), number);
  }
  EXPECT_EQ(blocks->Size(), 0U);
}

TEST(LiveBlocks, TheFilterPassesFewOtherBlocks) {
  const auto blocks = std::make_unique<LiveBlocks>();
  std::mt19937_64 random(2);
  const auto address = [&] { return 0x5500'0000'0000 + (random() % (uint64_t{1} << 32)) * 16; };
  for (uint64_t number = 1; number <= 400; ++number) ASSERT_TRUE(blocks->Add(address(), number));
  int passed = 0;
  for (int i = 0; i < 100'000; ++i) passed += blocks->MayHave(address()) ? 1 : 0;
  EXPECT_LT(passed, 1'000);  // 400 of 65,536 slots: 0.6 %
}

TEST(LiveBlocks, AFullTableRefusesBlocksUntilOneIsFreed) {
  const auto blocks = std::make_unique<LiveBlocks>();
  for (uint64_t i = 1; i <= LiveBlocks::kMax; ++i) ASSERT_TRUE(blocks->Add(i * 4096, i));
  EXPECT_FALSE(blocks->Add(8, 1));
  EXPECT_EQ(blocks->Remove(4096), 1U);
  EXPECT_TRUE(blocks->Add(8, 1));
  EXPECT_LT(sizeof(LiveBlocks), size_t{8} << 20);
}

}  // namespace
}  // namespace sparkprof
