// SPDX-License-Identifier: Apache-2.0
#include "outside_sampler.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <limits>

#include "base/time.h"
#include "capture/proc.h"
#include "capture/testing/child_process.h"
#include "model/segment/block.h"

namespace sparkprof {
namespace {

// The records of a sampler in a JVM that runs task 5 all the time.
class OutsideSamplerTest : public testing::Test {
 protected:
  OutsideSamplerTest() {
    writer_.source().bucket_ns = kNanosPerSecond;
    times_.Begin(5, 0);
    sampler_.SetInterval(10'000'000);
  }

  // Until the process has burnt so much CPU, however long that takes on a busy machine.
  void SampleWhileItBurns(int64_t pid, int64_t cpu_ns) {
    begin_ns_ = end_ns_ = MonotonicNanos();
    const int64_t enough_ns = BurntNanos(pid) + cpu_ns;
    while (BurntNanos(pid) < enough_ns) {
      if (const int64_t now_ns = MonotonicNanos(); now_ns >= sampler_.NextNs()) sampler_.Sample(end_ns_ = now_ns);
      poll(nullptr, 0, 1);
    }
    sampler_.HandOver();
    writer_.Flush();
  }
  static int64_t BurntNanos(int64_t pid) {
    const auto stat = ReadProcessStat(pid);
    if (!stat) return std::numeric_limits<int64_t>::max();
    return (stat->user_ticks + stat->system_ticks) * kNanosPerSecond / sysconf(_SC_CLK_TCK);
  }
  int64_t MiddleNs() const { return begin_ns_ + (end_ns_ - begin_ns_) / 2; }

  Segment segment_;
  SegmentWriter writer_{[this](const std::string& block, bool) {
    (void)ReadBlocks(block, "block", [this](Segment&& read) { segment_ = std::move(read); });
  }};
  PythonActivity activity_;
  TaskTimes times_;
  OutsideSampler sampler_{&writer_, &activity_, &times_};
  int64_t begin_ns_ = 0, end_ns_ = 0;
};

TEST_F(OutsideSamplerTest, AWorkerWithoutARingIsSampledAndBelongsToTheOnlyTask) {
  const ChildProcess python({"python3", "-c",
                             "def burn():\n"
                             "    while True: pass\n"
                             "print('ready', flush=True)\n"
                             "burn()\n"});
  char byte;
  ASSERT_EQ(read(python.Output(), &byte, 1), 1);
  if (const auto found = FindPython(python.Pid()); !found) GTEST_SKIP() << found.error().message;
  const auto stat = ReadProcessStat(python.Pid());
  ASSERT_TRUE(stat);

  const std::map<int64_t, int64_t> workers{{python.Pid(), stat->start_ticks}};
  sampler_.Follow(workers, 1);
  EXPECT_EQ(sampler_.NextNs(), INT64_MAX) << "its ring may be about to come";
  sampler_.Follow(workers, 1);
  SampleWhileItBurns(python.Pid(), 300 * kNanosPerMilli);
  int64_t cpu_ns = 0, wall_ns = 0;
  std::string leaf;
  for (const SegmentSample& sample : segment_.samples) {
    EXPECT_EQ(sample.task, 5);
    EXPECT_EQ(segment_.threads[sample.thread].pid, python.Pid());
    (sample.event == Event::kCpu ? cpu_ns : wall_ns) += sample.weight;
    leaf = segment_.strings.Get(segment_.frames.Get(segment_.stacks.Get(sample.stack).frame).name);
  }
  EXPECT_EQ(leaf, "burn");
  EXPECT_GT(wall_ns, (end_ns_ - begin_ns_) / 2);
  EXPECT_GT(cpu_ns, 0);
  EXPECT_NE(activity_.At(5, MiddleNs()), PythonState::kUnknown);
  sampler_.Follow({}, 1);
  EXPECT_EQ(sampler_.NextNs(), INT64_MAX);
}

TEST_F(OutsideSamplerTest, TheDriversProgramIsSampledAtOnceAndBelongsToNoTask) {
  const ChildProcess python({"python3", "-c", "print('ready', flush=True)\nwhile True: pass\n"});
  char byte;
  ASSERT_EQ(read(python.Output(), &byte, 1), 1);
  if (const auto found = FindPython(python.Pid()); !found) GTEST_SKIP() << found.error().message;
  sampler_.Follow({}, 1, {{python.Pid(), 1}});
  SampleWhileItBurns(python.Pid(), 200 * kNanosPerMilli);
  ASSERT_FALSE(segment_.samples.empty());
  for (const SegmentSample& sample : segment_.samples) {
    EXPECT_EQ(sample.task, kNoTask);
    EXPECT_EQ(sample.category, Category::kNone);
  }
  EXPECT_EQ(activity_.At(5, MiddleNs()), PythonState::kUnknown);
}

TEST_F(OutsideSamplerTest, WhatIsNoPythonIsLeftAloneAndSaidOnce) {
  const ChildProcess process({"sleep", "600"});
  for (int i = 0; i < 4; ++i) sampler_.Follow({{process.Pid(), 1}}, 1);
  writer_.Flush();
  EXPECT_EQ(segment_.notices.size(), 1u);
  EXPECT_EQ(sampler_.NextNs(), INT64_MAX);
}

}  // namespace
}  // namespace sparkprof
