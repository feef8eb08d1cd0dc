// SPDX-License-Identifier: Apache-2.0
#include "outside_sampler.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "base/time.h"
#include "capture/proc.h"
#include "capture/testing/child_process.h"
#include "model/block.h"

namespace sparkprof {
namespace {

// What a sampler writes in a JVM that runs task 5 all the time.
class OutsideSamplerTest : public testing::Test {
 protected:
  OutsideSamplerTest() {
    writer_.source().bucket_ns = kNanosPerSecond;
    times_.Begin(5, 0);
    sampler_.SetInterval(10'000'000);
  }

  void SampleFor(int64_t duration_ns) {
    begin_ns_ = MonotonicNanos();
    for (int64_t now_ns = begin_ns_; now_ns - begin_ns_ < duration_ns; now_ns = MonotonicNanos()) {
      if (now_ns >= sampler_.NextNs()) sampler_.Sample(now_ns);
      poll(nullptr, 0, 1);
    }
    sampler_.HandOver();
    writer_.Flush();
  }

  Segment segment_;
  SegmentWriter writer_{[this](const std::string& block, bool) {
    (void)ReadBlocks(block, "block", [this](Segment&& read) { segment_ = std::move(read); });
  }};
  PythonActivity activity_;
  TaskTimes times_;
  OutsideSampler sampler_{&writer_, &activity_, &times_};
  int64_t begin_ns_ = 0;
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
  SampleFor(500 * kNanosPerMilli);
  int64_t cpu_ns = 0, wall_ns = 0;
  std::string leaf;
  for (const SegmentSample& sample : segment_.samples) {
    EXPECT_EQ(sample.task, 5);
    EXPECT_EQ(segment_.threads[sample.thread].pid, python.Pid());
    (sample.event == Event::kCpu ? cpu_ns : wall_ns) += sample.weight;
    leaf = segment_.strings.Get(segment_.frames.Get(segment_.stacks.Get(sample.stack).frame).name);
  }
  EXPECT_EQ(leaf, "burn");
  EXPECT_GT(wall_ns, 300 * kNanosPerMilli);
  EXPECT_GT(cpu_ns, 0);
  EXPECT_NE(activity_.At(5, begin_ns_ + 250 * kNanosPerMilli), PythonState::kUnknown);
  sampler_.Follow({}, 1);
  EXPECT_EQ(sampler_.NextNs(), INT64_MAX);
}

TEST_F(OutsideSamplerTest, TheDriversProgramIsSampledAtOnceAndBelongsToNoTask) {
  const ChildProcess python({"python3", "-c", "print('ready', flush=True)\nwhile True: pass\n"});
  char byte;
  ASSERT_EQ(read(python.Output(), &byte, 1), 1);
  if (const auto found = FindPython(python.Pid()); !found) GTEST_SKIP() << found.error().message;
  sampler_.Follow({}, 1, {{python.Pid(), 1}});
  SampleFor(300 * kNanosPerMilli);
  ASSERT_FALSE(segment_.samples.empty());
  for (const SegmentSample& sample : segment_.samples) {
    EXPECT_EQ(sample.task, kNoTask);
    EXPECT_EQ(sample.category, Category::kNone);
  }
  EXPECT_EQ(activity_.At(5, begin_ns_ + 150 * kNanosPerMilli), PythonState::kUnknown);
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
