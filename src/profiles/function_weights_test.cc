// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>

#include "analysis/testing/application_builder.h"
#include "profiles/frame_weights.h"

namespace sparkprof {
namespace {

std::vector<FunctionWeight> WeighAll(const Profile& profile, const Functions& functions) {
  std::vector<uint32_t> rows(profile.samples.size());
  std::iota(rows.begin(), rows.end(), 0);
  return WeighFunctions(profile, functions, rows);
}

class FunctionWeightsTest : public ::testing::Test {
 protected:
  FunctionWeightsTest() { thread_ = builder_.AddThread(1, "main", builder_.AddExecutor("driver", 1)); }

  void AddSample(StackId stack, int64_t weight) { builder_.AddSample(Event::kCpu, 0, thread_, kNoTask, stack, weight); }
  const Profile& profile() { return builder_.application().profile; }

  ApplicationBuilder builder_;
  uint32_t thread_;
};

TEST_F(FunctionWeightsTest, AFunctionThatCallsItselfCountsOnce) {
  AddSample(builder_.AddStack({"f", "g", "f"}), 10);
  AddSample(builder_.AddStack({"f"}), 1);
  const Functions functions(profile());
  const std::vector<FunctionWeight> weights = WeighAll(profile(), functions);
  ASSERT_EQ(weights.size(), 2u);
  EXPECT_EQ(weights[0].self, 11);
  EXPECT_EQ(weights[0].total, 11);
  EXPECT_EQ(weights[1].self, 0);
  EXPECT_EQ(weights[1].total, 10);
}

TEST_F(FunctionWeightsTest, AFunctionIsOneHoweverItWasCompiled) {
  AddSample(builder_.AddStack({builder_.AddFrame("f", FrameKind::kInterpreted, "F.java", 1)}), 1);
  AddSample(builder_.AddStack({builder_.AddFrame("f", FrameKind::kJit, "F.java", 2)}), 5);
  const Functions functions(profile());
  ASSERT_EQ(functions.Size(), 1u);
  EXPECT_EQ(WeighAll(profile(), functions)[0].self, 6);
  EXPECT_EQ(FrameLabel(profile().strings, functions.Get(0)), "f");
}

TEST_F(FunctionWeightsTest, PythonFunctionsOfDifferentFilesStayApart) {
  AddSample(builder_.AddStack({builder_.AddFrame("f", FrameKind::kPython, "/job/a.py", 3)}), 1);
  AddSample(builder_.AddStack({builder_.AddFrame("f", FrameKind::kPython, "/job/b.py", 3)}), 1);
  const Functions functions(profile());
  ASSERT_EQ(functions.Size(), 2u);
  EXPECT_EQ(FrameLabel(profile().strings, functions.Get(0)), "f (a.py)");
  EXPECT_EQ(FrameLabel(profile().strings, functions.Get(1)), "f (b.py)");
}

TEST_F(FunctionWeightsTest, TheTopIsByOwnWeightAndLeavesOutWhatHasNone) {
  AddSample(builder_.AddStack({"root", "b"}), 1);
  AddSample(builder_.AddStack({"root", "a"}), 3);
  AddSample(builder_.AddStack({"root", "c"}), 2);
  const Functions functions(profile());
  std::string names;
  for (const FunctionWeight& weight : TopFunctions(WeighAll(profile(), functions), 2)) {
    names += FrameLabel(profile().strings, functions.Get(weight.function));
  }
  EXPECT_EQ(names, "ac");
  EXPECT_EQ(TopFunctions(WeighAll(profile(), functions), 9).size(), 3u);
}

}  // namespace
}  // namespace sparkprof
