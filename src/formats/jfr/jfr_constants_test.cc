// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_constants.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

// Keys one after the other, with gaps, and all over.
TEST(JfrPoolTest, FindsEveryKeyAndNoOther) {
  for (const uint64_t step : {1ull, 5ull, 9ull, 0x123456789ABCDEFull}) {
    const JfrPlan plan;
    JfrPool pool(&plan);
    constexpr uint64_t kFirst = 1000;
    for (uint32_t i = 0; i < 2000; ++i) pool.Add(kFirst + i * step, i + 1, 7);
    pool.BuildIndex();
    for (uint32_t i = 0; i < 2000; ++i) {
      ASSERT_NE(pool.Find(kFirst + i * step), nullptr) << step << " " << i;
      EXPECT_EQ(pool.Find(kFirst + i * step)->position, i + 1);
    }
    for (const uint64_t key : {uint64_t{0}, kFirst - 1, kFirst + 2000 * step, UINT64_MAX}) {
      EXPECT_EQ(pool.Find(key), nullptr) << step << " " << key;
    }
    EXPECT_EQ(pool.Find(kFirst + 1) == nullptr, step > 1);
  }
}

TEST(JfrPoolTest, TheFirstOfSeveralWithOneKeyIsFound) {
  for (const uint64_t other : {2ull, 1ull << 60}) {
    const JfrPlan plan;
    JfrPool pool(&plan);
    pool.Add(1, 10, 1);
    pool.Add(other, 20, 1);
    pool.Add(1, 30, 1);
    pool.BuildIndex();
    EXPECT_EQ(pool.Find(1)->position, 10u);
    EXPECT_EQ(pool.Find(other)->position, 20u);
  }
}

}  // namespace
}  // namespace sparkprof
