// SPDX-License-Identifier: Apache-2.0
#include "server/applications/answer_budget.h"

#include <gtest/gtest.h>

#include <vector>

namespace sparkprof {
namespace {

TEST(AnswerBudget, AnswersCountUntilTheirReadersHaveThem) {
  AnswerBudget budget(3 << 20);
  std::vector<HttpResponse> waiting;
  for (int reader = 0; reader < 3; ++reader) {
    HttpResponse& response = waiting.emplace_back(MakeResponse(200, "text/plain", std::string(1 << 20, 'x')));
    EXPECT_TRUE(budget.Hold(&response));
    EXPECT_EQ(response.Body().size(), size_t{1} << 20);
  }
  HttpResponse next = MakeResponse(200, "text/plain", std::string(1 << 20, 'y'));
  EXPECT_FALSE(budget.Hold(&next));
  EXPECT_EQ(budget.Bytes(), uint64_t{3} << 20);
  HttpResponse small = MakeResponse(200, "text/plain", "x");
  EXPECT_TRUE(budget.Hold(&small));
  waiting.pop_back();
  EXPECT_TRUE(budget.Hold(&next));
  EXPECT_EQ(next.Body().substr(0, 2), "yy");
  waiting.clear();
  next = {};
  EXPECT_EQ(budget.Bytes(), 0u);
}

TEST(AnswerBudget, ABodyThatIsKeptForOthersCountsNothing) {
  AnswerBudget budget(1);
  HttpResponse response = MakeResponse(200, "text/plain", std::string(1 << 20, 'x'));
  const HttpResponse kept = response;
  EXPECT_TRUE(budget.Hold(&response));
  EXPECT_EQ(budget.Bytes(), 0u);
}

}  // namespace
}  // namespace sparkprof
