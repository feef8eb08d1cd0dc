// SPDX-License-Identifier: Apache-2.0
#include "analysis/costs/price_list.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(PriceListTest, CoresAndMemoryHavePrices) {
  const auto prices = ParsePriceList(R"({"currency":"EUR","coreHour":0.05,"gbHour":0.01})", "p.json");
  ASSERT_TRUE(prices) << prices.error().message;
  EXPECT_EQ(prices->currency, "EUR");
  EXPECT_DOUBLE_EQ(prices->Cost(2, 10), 0.2);
}

TEST(PriceListTest, AMachinesPriceIsDividedBetweenItsCoresAndItsMemory) {
  const auto prices = ParsePriceList(R"({"currency":"USD","machineHour":0.4,"cores":8,"gb":32})", "p.json");
  ASSERT_TRUE(prices) << prices.error().message;
  EXPECT_DOUBLE_EQ(prices->Cost(8, 32), 0.4);
  EXPECT_DOUBLE_EQ(prices->Cost(4, 0), 0.1);
}

TEST(PriceListTest, AnErrorNamesTheFileAndShowsWhatIsExpected) {
  for (const char* const text :
       {"", "[]", "{", R"({"coreHour":1,"gbHour":1})", R"({"currency":"USD","coreHour":1})",
        R"({"currency":"USD","coreHour":-1,"gbHour":1})", R"({"currency":"USD","machineHour":1,"cores":0,"gb":4})"}) {
    const auto prices = ParsePriceList(text, "p.json");
    ASSERT_FALSE(prices) << text;
    EXPECT_TRUE(prices.error().message.starts_with("p.json: ")) << prices.error().message;
    EXPECT_NE(prices.error().message.find("coreHour"), std::string::npos);
  }
}

}  // namespace
}  // namespace sparkprof
