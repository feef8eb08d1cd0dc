// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/neighbors.h"

#include <gtest/gtest.h>

#include "analysis/answers.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;
constexpr int64_t kStart = ApplicationBuilder::kStart;

class NeighborsTest : public testing::Test {
 protected:
  NeighborsTest() : executor_(builder_.AddExecutor("1", 4)), stage_(builder_.AddStage(3, 0, 0)) {}

  // Uses so many cores in each of 100 s.
  Neighbor& Add(const std::string& executor, double cores) {
    Neighbor& neighbor = builder_.application().neighbors.emplace_back();
    neighbor.host = "node7";
    neighbor.executor_ids = {executor};
    neighbor.application_id = "application_1_0042";
    neighbor.user = "ana";
    neighbor.host_cores = 4;
    neighbor.begin_ns = kStart;
    neighbor.step_ns = kSecond;
    neighbor.cpu_ns.assign(100, cores * 1e9);
    return neighbor;
  }

  std::vector<NeighborUse> Between(double begin, double end, std::set<int32_t> executors = {}) {
    return NeighborsBetween(builder_.application(), kStart + static_cast<int64_t>(begin * kSecond),
                            kStart + static_cast<int64_t>(end * kSecond), executors);
  }

  // Empty if the rule found nothing.
  std::string EvidenceOf(std::string_view rule) {
    for (const Finding& finding : Answer(builder_.application()).findings) {
      if (finding.rule == rule) return finding.evidence;
    }
    return {};
  }

  ApplicationBuilder builder_;
  const int32_t executor_;
  const int32_t stage_;
};

TEST_F(NeighborsTest, ANeighborsUseIsItsMeanInTheRange) {
  Neighbor& neighbor = Add("1", 0);
  neighbor.cpu_ns[10] = 4e9;
  ASSERT_EQ(Between(10, 12).size(), 1u);
  EXPECT_DOUBLE_EQ(Between(10, 12)[0].cores, 2);
  EXPECT_DOUBLE_EQ(Between(10.5, 11)[0].cores, 4) << "a part of a step";
  EXPECT_TRUE(Between(12, 20).empty());
}

TEST_F(NeighborsTest, OnlyNeighborsOfTheTasksHostsCount) {
  Add("2", 3);
  builder_.AddTask(1, stage_, executor_, 0, 10, 7);
  EXPECT_TRUE(NeighborsOfTasks(builder_.application(), {0}).empty());
  Add("1", 1);
  ASSERT_EQ(NeighborsOfTasks(builder_.application(), {0}).size(), 1u);
}

TEST_F(NeighborsTest, TheTextNamesWhoUsedHowMuch) {
  EXPECT_EQ(NeighborText({}), "");
  Add("1", 0.4);
  EXPECT_EQ(NeighborText(Between(0, 10)), "") << "not worth mentioning";
  Add("1", 3.1);
  EXPECT_EQ(NeighborText(Between(0, 10)), "on node7, application_1_0042 (user ana) used 3.1 of 4 cores meanwhile");
}

TEST_F(NeighborsTest, EvidenceOfStarvedTasksNamesTheNeighbor) {
  Add("1", 3.1);
  const uint32_t worker = builder_.AddThread(200, "Executor task launch worker-0", executor_);
  builder_.AddTask(1, stage_, executor_, 0, 10, 3);
  const StackId stack = builder_.AddStack({"com.example.Job.run"});
  builder_.AddSample(Event::kCpu, 3, worker, 1, stack, 3 * kSecond);
  builder_.AddSample(Event::kWall, 3, worker, 1, stack, 10 * kSecond).state = ThreadState::kRunning;
  const std::string evidence = EvidenceOf("cpu-starved");
  EXPECT_TRUE(evidence.ends_with("; on node7, application_1_0042 (user ana) used 3.1 of 4 cores meanwhile"))
      << evidence;
}

TEST_F(NeighborsTest, EvidenceOfAStragglerNamesTheNeighborOfItsHostOnly) {
  Add("2", 3.9);
  Add("1", 3.1);
  const int32_t other = builder_.AddExecutor("2", 4);
  for (int64_t tid = 0; tid < 9; ++tid) builder_.AddTask(tid, stage_, other, 0, 2, 1);
  builder_.AddTask(9, stage_, executor_, 0, 40, 1);
  const std::string evidence = EvidenceOf("straggler");
  EXPECT_NE(evidence.find("used 3.1 of 4 cores"), std::string::npos) << evidence;
  EXPECT_EQ(evidence.find("3.9"), std::string::npos) << evidence;
}

}  // namespace
}  // namespace sparkprof
