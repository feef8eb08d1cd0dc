// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/tenant_quotas.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(TenantQuotasTest, QueriesBeyondARateAreRefusedUntilTimePasses) {
  TenantQuotas quotas({.each = {.queries = 2}, .own = {{"b", {.queries = 3}}, {"c", {.bytes = 1}}}}, nullptr, nullptr);
  const auto begin = TenantQuotas::Clock::now();
  const auto answered = [&](const std::string& tenant, int milliseconds) {
    int count = 0;
    while (count < 100 && quotas.TakeQuery(tenant, begin + std::chrono::milliseconds(milliseconds))) ++count;
    return count;
  };
  EXPECT_EQ(answered("a", 0), 2);
  EXPECT_EQ(answered("b", 0), 3) << "a limit of its own";
  EXPECT_EQ(answered("c", 0), 2) << "its own limit is another one";
  EXPECT_EQ(answered("", 0), 100) << "the default tenant has none";
  EXPECT_EQ(answered("a", 400), 0);
  EXPECT_EQ(answered("a", 600), 1);
  EXPECT_EQ(answered("a", 60'000), 2) << "no more than in one second";
}

}  // namespace
}  // namespace sparkprof
