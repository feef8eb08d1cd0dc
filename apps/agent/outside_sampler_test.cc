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

TEST(OutsideSampler, AWorkerWithoutARingIsSampledAndBelongsToTheOnlyTask) {
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

  Segment segment;
  SegmentWriter writer([&](const std::string& block, bool) {
    (void)ReadBlocks(block, "block", [&](Segment&& read) { segment = std::move(read); });
  });
  writer.source().bucket_ns = kNanosPerSecond;
  PythonActivity activity;
  TaskTimes times;
  times.Begin(5, 0);
  OutsideSampler sampler(&writer, &activity, &times);
  sampler.SetInterval(10'000'000);
  const std::map<int64_t, int64_t> workers{{python.Pid(), stat->start_ticks}};
  sampler.Follow(workers, 1);
  EXPECT_EQ(sampler.NextNs(), INT64_MAX) << "its ring may be about to come";
  sampler.Follow(workers, 1);
  int64_t begin_ns = MonotonicNanos(), now_ns = begin_ns;
  for (; now_ns - begin_ns < 500 * kNanosPerMilli; now_ns = MonotonicNanos()) {
    if (now_ns >= sampler.NextNs()) sampler.Sample(now_ns);
    poll(nullptr, 0, 1);
  }
  sampler.HandOver();
  writer.Flush();
  int64_t cpu_ns = 0, wall_ns = 0;
  std::string leaf;
  for (const Sample& sample : segment.samples) {
    EXPECT_EQ(sample.task, 5);
    EXPECT_EQ(segment.threads[sample.thread].pid, python.Pid());
    (sample.event == Event::kCpu ? cpu_ns : wall_ns) += sample.weight;
    leaf = segment.strings.Get(segment.frames.Get(segment.stacks.Get(sample.stack).frame).name);
  }
  EXPECT_EQ(leaf, "burn");
  EXPECT_GT(wall_ns, 300 * kNanosPerMilli);
  EXPECT_GT(cpu_ns, 0);
  EXPECT_NE(activity.At(5, begin_ns + 250 * kNanosPerMilli), PythonState::kUnknown);
  sampler.Follow({}, 1);
  EXPECT_EQ(sampler.NextNs(), INT64_MAX);
}

TEST(OutsideSampler, TheDriversProgramIsSampledAtOnceAndBelongsToNoTask) {
  const ChildProcess python({"python3", "-c", "print('ready', flush=True)\nwhile True: pass\n"});
  char byte;
  ASSERT_EQ(read(python.Output(), &byte, 1), 1);
  if (const auto found = FindPython(python.Pid()); !found) GTEST_SKIP() << found.error().message;
  Segment segment;
  SegmentWriter writer([&](const std::string& block, bool) {
    (void)ReadBlocks(block, "block", [&](Segment&& read) { segment = std::move(read); });
  });
  writer.source().bucket_ns = kNanosPerSecond;
  PythonActivity activity;
  TaskTimes times;
  times.Begin(5, 0);
  OutsideSampler sampler(&writer, &activity, &times);
  sampler.SetInterval(10'000'000);
  sampler.Follow({}, 1, {{python.Pid(), 1}});
  const int64_t begin_ns = MonotonicNanos();
  for (int64_t now_ns = begin_ns; now_ns - begin_ns < 300 * kNanosPerMilli; now_ns = MonotonicNanos()) {
    if (now_ns >= sampler.NextNs()) sampler.Sample(now_ns);
    poll(nullptr, 0, 1);
  }
  sampler.HandOver();
  writer.Flush();
  ASSERT_FALSE(segment.samples.empty());
  for (const Sample& sample : segment.samples) {
    EXPECT_EQ(sample.task, kNoTask);
    EXPECT_EQ(sample.category, Category::kNone);
  }
  EXPECT_EQ(activity.At(5, begin_ns + 150 * kNanosPerMilli), PythonState::kUnknown);
}

TEST(OutsideSampler, WhatIsNoPythonIsLeftAloneAndSaidOnce) {
  const ChildProcess process({"sleep", "600"});
  Segment segment;
  SegmentWriter writer([&](const std::string& block, bool) {
    (void)ReadBlocks(block, "block", [&](Segment&& read) { segment = std::move(read); });
  });
  PythonActivity activity;
  TaskTimes times;
  OutsideSampler sampler(&writer, &activity, &times);
  sampler.SetInterval(10'000'000);
  for (int i = 0; i < 4; ++i) sampler.Follow({{process.Pid(), 1}}, 1);
  writer.Flush();
  EXPECT_EQ(segment.notices.size(), 1u);
  EXPECT_EQ(sampler.NextNs(), INT64_MAX);
}

}  // namespace
}  // namespace sparkprof
