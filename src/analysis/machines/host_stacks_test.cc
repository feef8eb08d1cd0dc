// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/host_stacks.h"

#include <gtest/gtest.h>

#include "analysis/answers.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

class HostStacksTest : public testing::Test {
 protected:
  // An executor on a host of its own, with a thread that runs tasks.
  uint32_t AddHost(const std::string& host) {
    const int32_t executor = builder_.AddExecutor(std::to_string(application().executors.size()), 2);
    application().executors.back().host = host;
    return builder_.AddThread(100 + executor, "Executor task launch worker-0", executor);
  }

  void AddCpu(uint32_t thread, std::initializer_list<std::string_view> stack, int64_t seconds,
              Event event = Event::kCpu) {
    builder_.AddSample(event, 3, thread, 1, builder_.AddStack(stack), seconds * kSecond, seconds * 100);
  }

  // Work that all hosts have, in proportions that differ a little.
  void AddUsual(uint32_t thread, int64_t more = 0) {
    AddCpu(thread, {"Task.run", "Job.parse"}, 50 + more);
    AddCpu(thread, {"Task.run", "Job.sum"}, 50 - more);
  }

  Application& application() { return builder_.application(); }
  std::vector<HostStacks> Compare() { return CompareHosts({&application()}); }

  std::optional<Finding> FindOutlier() {
    for (Finding& finding : Answer(application()).findings) {
      if (finding.rule == "outlier-host") return std::move(finding);
    }
    return std::nullopt;
  }

  ApplicationBuilder builder_;
};

TEST_F(HostStacksTest, AHostWithOtherFramesIsTheOutlier) {
  for (const char* const host : {"a", "b"}) AddUsual(AddHost(host), host[0] - 'a');
  const uint32_t odd = AddHost("c");
  AddCpu(odd, {"Task.run", "Job.parse"}, 10);
  AddCpu(odd, {"Task.run", "Job.parse", "Codec.slow"}, 30);
  const std::vector<HostStacks> hosts = Compare();
  ASSERT_EQ(hosts.size(), 3u);
  EXPECT_FALSE(hosts[0].is_outlier);
  EXPECT_FALSE(hosts[1].is_outlier);
  EXPECT_LT(*hosts[1].distance, 0.1);
  EXPECT_TRUE(hosts[2].is_outlier);
  EXPECT_EQ(hosts[2].cpu_ns, 40 * kSecond);
  EXPECT_EQ(hosts[2].event, "cpu");
  EXPECT_GT(*hosts[2].distance, 0.6);
  ASSERT_FALSE(hosts[2].frames.empty());
  EXPECT_EQ(hosts[2].frames[0].frame, "Codec.slow");
  EXPECT_DOUBLE_EQ(hosts[2].frames[0].share, 0.75);
  EXPECT_DOUBLE_EQ(hosts[2].frames[0].others, 0);
}

TEST_F(HostStacksTest, OfTwoHostsNoneIsAnOutlier) {
  AddUsual(AddHost("a"));
  AddCpu(AddHost("b"), {"Task.run", "Codec.slow"}, 100);
  for (const HostStacks& host : Compare()) {
    EXPECT_FALSE(host.distance) << host.host;
    EXPECT_FALSE(host.is_outlier);
    EXPECT_TRUE(host.frames.empty());
  }
}

TEST_F(HostStacksTest, HalfOfTheHostsAtOtherWorkAreNoOutliers) {
  for (const char* const host : {"a", "b", "c"}) AddUsual(AddHost(host));
  for (const char* const host : {"d", "e", "f"}) AddCpu(AddHost(host), {"Task.run", "Job.join"}, 100);
  for (const HostStacks& host : Compare()) EXPECT_FALSE(host.is_outlier) << host.host;
}

TEST_F(HostStacksTest, FewSamplesShowNothing) {
  for (const char* const host : {"a", "b", "c"}) AddUsual(AddHost(host));
  builder_.AddSample(Event::kCpu, 3, AddHost("d"), 1, builder_.AddStack({"Task.run", "Codec.slow"}), kSecond, 99);
  const std::vector<HostStacks> hosts = Compare();
  EXPECT_FALSE(hosts[3].distance);
  EXPECT_EQ(hosts[3].cpu_ns, kSecond);
}

TEST_F(HostStacksTest, AWaitOfTasksCountsByWallClock) {
  for (const char* const host : {"a", "b", "c", "d"}) {
    const uint32_t thread = AddHost(host);
    AddUsual(thread);
    AddCpu(thread, {"Task.run", "Job.parse"}, 100, Event::kWall);
    if (host[0] == 'd') AddCpu(thread, {"Task.run", "Socket.read"}, 300, Event::kWall);
  }
  const std::vector<HostStacks> hosts = Compare();
  EXPECT_TRUE(hosts[3].is_outlier);
  EXPECT_EQ(hosts[3].event, "wall");
  EXPECT_EQ(hosts[3].frames[0].frame, "Socket.read");
  EXPECT_FALSE(hosts[0].is_outlier);
}

TEST_F(HostStacksTest, PythonOfWorkersCounts) {
  for (const char* const host : {"a", "b", "c"}) {
    const uint32_t thread = AddHost(host);
    AddUsual(thread);
    if (host[0] != 'b') continue;
    AddCpu(thread, {"worker.main", "old_regex"}, 300);
    application().python_samples.push_back(application().profile.samples.back());
    application().profile.samples.pop_back();
  }
  const std::vector<HostStacks> hosts = Compare();
  EXPECT_TRUE(hosts[1].is_outlier);
  EXPECT_EQ(hosts[1].cpu_ns, 400 * kSecond);
}

TEST_F(HostStacksTest, ADriverWithoutTasksIsNoHost) {
  for (const char* const host : {"a", "b", "c"}) AddUsual(AddHost(host));
  AddCpu(AddHost("gateway"), {"Driver.plan"}, 100);
  application().executors.back().id = "driver";
  application().executors.back().cores = 0;
  EXPECT_EQ(Compare().size(), 3u);
}

TEST_F(HostStacksTest, SeveralApplicationsAddUpByHost) {
  for (const char* const host : {"a", "b", "c"}) AddUsual(AddHost(host));
  const std::vector<HostStacks> hosts = CompareHosts({&application(), &application()});
  ASSERT_EQ(hosts.size(), 3u);
  EXPECT_EQ(hosts[0].cpu_ns, 200 * kSecond);
}

TEST_F(HostStacksTest, TheFindingNamesHostAndFrame) {
  for (const char* const host : {"a", "b", "c"}) AddUsual(AddHost(host));
  EXPECT_FALSE(FindOutlier());
  const uint32_t odd = AddHost("d");
  AddCpu(odd, {"Task.run", "Codec.slow"}, 60);
  AddCpu(odd, {"Task.run", "Job.parse"}, 20);
  const auto finding = FindOutlier();
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->title, "Host d spends 75.0% of its CPU time in Codec.slow, the others 0.0%");
  EXPECT_EQ(finding->selection.executor, "3");
  EXPECT_EQ(finding->frames[0], "Codec.slow");
}

}  // namespace
}  // namespace sparkprof
