// SPDX-License-Identifier: Apache-2.0
#include "join/task_join.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace sparkprof {
namespace {

constexpr int64_t kTid = 77;

TEST(TaskJoin, ASampleInsideAnIntervalBelongsToItsTask) {
  TaskJoin join;
  join.Begin(kTid, 5, 100);
  join.End(kTid, 5, 200);
  for (const int64_t time : {100, 150, 199}) {
    EXPECT_EQ(join.Find(kTid, time, false).task, 5);
    EXPECT_EQ(join.Find(kTid, time, false).category, Category::kTask);
  }
  EXPECT_EQ(join.Find(kTid, 99, true).category, Category::kTaskRuntime);
  EXPECT_EQ(join.Find(kTid, 200, true).category, Category::kTaskRuntime);
}

TEST(TaskJoin, AnotherThreadNeverRanATask) {
  TaskJoin join;
  join.Begin(kTid, 5, 100);
  EXPECT_EQ(join.Find(kTid + 1, 150, false).category, Category::kNone);
  EXPECT_EQ(join.Find(kTid + 1, 150, false).task, kNoTask);
}

TEST(TaskJoin, EverythingAfterTheBeginOfAnOpenTaskBelongsToIt) {
  TaskJoin join;
  join.Begin(kTid, 5, 100);
  EXPECT_EQ(join.Find(kTid, 1'000'000'000'000, true).task, 5);
  EXPECT_EQ(join.Find(kTid, 1'000'000'000'000, true).category, Category::kTask);
}

TEST(TaskJoin, RuntimeWorkGoesToTheNearestTaskAndToTheNextOneWhenInTheMiddle) {
  TaskJoin join;
  join.Begin(kTid, 1, 100);
  join.End(kTid, 1, 200);
  join.Begin(kTid, 2, 300);
  join.End(kTid, 2, 400);
  const struct {
    int64_t time;
    int64_t task;
  } kCases[] = {{0, 1}, {99, 1}, {201, 1}, {249, 1}, {250, 2}, {299, 2}, {400, 2}, {9'999, 2}};
  for (const auto& expected : kCases) {
    EXPECT_EQ(join.Find(kTid, expected.time, true).task, expected.task) << expected.time;
    EXPECT_EQ(join.Find(kTid, expected.time, true).category, Category::kTaskRuntime) << expected.time;
  }
}

TEST(TaskJoin, ATaskThreadOutsideTheTaskRunnerIsIdle) {
  TaskJoin join;
  join.Begin(kTid, 1, 100);
  join.End(kTid, 1, 200);
  EXPECT_EQ(join.Find(kTid, 250, false).category, Category::kIdlePool);
  EXPECT_EQ(join.Find(kTid, 50, false).category, Category::kIdlePool);
  EXPECT_EQ(join.Find(kTid, 250, false).task, kNoTask);
}

TEST(TaskJoin, TheFirstTaskOfAThreadIsRuntimeWorkBeforeItBegins) {
  const TaskJoin join;
  EXPECT_EQ(join.Find(kTid, 50, true).category, Category::kTaskRuntime);
  EXPECT_EQ(join.Find(kTid, 50, true).task, kNoTask);
}

TEST(TaskJoin, AMissedEndIsMadeUpByTheNextBegin) {
  TaskJoin join;
  join.Begin(kTid, 1, 100);
  join.Begin(kTid, 2, 300);
  join.End(kTid, 2, 400);
  EXPECT_EQ(join.Find(kTid, 299, true).task, 1);
  EXPECT_EQ(join.Find(kTid, 300, true).task, 2);
  EXPECT_EQ(join.Find(kTid, 400, true).category, Category::kTaskRuntime);
}

TEST(TaskJoin, AnEndWithoutItsBeginClaimsNoSampleAsItsOwn) {
  TaskJoin join;
  join.End(kTid, 1, 200);
  EXPECT_EQ(join.Find(kTid, 150, true).task, 1);
  EXPECT_EQ(join.Find(kTid, 150, true).category, Category::kTaskRuntime);
}

TEST(TaskJoin, AMissedEndAndBeginLeaveTheSamplesBetweenToNoTask) {
  TaskJoin join;
  join.Begin(kTid, 1, 100);
  join.End(kTid, 2, 400);
  EXPECT_EQ(join.Find(kTid, 250, true).category, Category::kTaskRuntime);
  EXPECT_EQ(join.Find(kTid, 250, false).category, Category::kIdlePool);
}

TEST(TaskJoin, TimesThatRunBackwardsDoNotMakeIntervalsOverlap) {
  TaskJoin join;
  join.Begin(kTid, 1, 100);
  join.End(kTid, 1, 90);
  join.Begin(kTid, 2, 80);
  join.End(kTid, 2, 300);
  join.Begin(kTid, 3, 250);
  EXPECT_EQ(join.Find(kTid, 120, false).task, 2);
  EXPECT_EQ(join.Find(kTid, 299, false).task, 2);
  EXPECT_EQ(join.Find(kTid, 300, false).task, 3);
}

TEST(TaskJoin, WhatEndedLongAgoIsForgottenAndOpenTasksAreNot) {
  TaskJoin join;
  join.Begin(kTid, 1, 100);
  join.End(kTid, 1, 200);
  join.Begin(kTid + 1, 2, 100);
  join.Forget(201);
  EXPECT_EQ(join.Size(), 1u);
  EXPECT_EQ(join.Find(kTid, 150, false).category, Category::kNone);
  EXPECT_EQ(join.Find(kTid + 1, 150, false).task, 2);
}

TEST(TaskJoin, MemoryIsBoundedEvenIfNothingIsEverForgotten) {
  TaskJoin join;
  int64_t now = 0;
  for (int64_t task = 0; task < 400'000; ++task) {
    join.Begin(task % 8, task, now += 1'000'000);
    join.End(task % 8, task, now + 1'000'000);
    ASSERT_LE(join.Size(), TaskJoin::kMaxIntervals + 1);
  }
  EXPECT_EQ(join.Find(399'999 % 8, now, false).task, 399'999);
  EXPECT_GT(join.Size(), TaskJoin::kMaxIntervals / 2);
}

// Thousands of short tasks on few threads that are used again and again, records of all threads in one queue, some
// lost. The truth is known for each moment; the join must never put a sample into another task.
TEST(TaskJoin, OfThousandsOfShortTasksNotOneSampleIsInAWrongTask) {
  std::mt19937_64 random(20261121);
  const auto between = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  constexpr int kThreads = 8;
  struct Truth {
    int64_t task, begin_ns, end_ns;
    bool whole;  // both records arrived
  };
  for (const int lost_percent : {0, 3}) {
    TaskJoin join;
    std::vector<Truth> truth[kThreads];
    int64_t task = 0;
    for (int thread = 0; thread < kThreads; ++thread) {
      int64_t now = between(0, 1000);
      for (int i = 0; i < 2'000; ++i) {
        const int64_t begin = now += between(0, 300);
        const int64_t end = now += between(1, 5'000);
        const bool begin_lost = between(0, 99) < lost_percent;
        const bool end_lost = between(0, 99) < lost_percent;
        ++task;
        if (!begin_lost) join.Begin(kTid + thread, task, begin);
        if (!end_lost) join.End(kTid + thread, task, end);
        truth[thread].push_back({task, begin, end, !begin_lost && !end_lost});
      }
    }
    int64_t inside = 0, joined = 0;
    for (int thread = 0; thread < kThreads; ++thread) {
      for (size_t i = 0; i < truth[thread].size(); ++i) {
        const Truth& expected = truth[thread][i];
        const int64_t time = between(expected.begin_ns, expected.end_ns - 1);
        const TaskJoin::Match match = join.Find(kTid + thread, time, true);
        ++inside;
        if (match.category != Category::kTask) continue;
        // A task with a lost end extends to the next start; it can get only samples in between.
        const bool previous_is_open = i > 0 && !truth[thread][i - 1].whole;
        if (!previous_is_open) {
          EXPECT_EQ(match.task, expected.task) << "thread " << thread << " time " << time;
        }
        joined += match.task == expected.task;
      }
    }
    if (lost_percent == 0) {
      EXPECT_EQ(joined, inside);
    } else {
      EXPECT_GT(joined, inside * 9 / 10);
    }
  }
}

TEST(TaskRunnerFinder, FindsTheFrameWhereverItStandsAndInTablesThatGrow) {
  StringTable strings;
  FrameTable frames;
  StackTable stacks;
  const auto push = [&](StackId parent, const std::string& name) {
    return stacks.Push(parent, frames.Intern({strings.Intern(name), 0, 0, FrameKind::kJit}));
  };
  TaskRunnerFinder finder(&strings, &frames, &stacks);
  EXPECT_FALSE(finder.Contains(0));
  const StackId thread = push(0, "java.lang.Thread.run");
  const StackId runner = push(thread, "org.apache.spark.executor.Executor$TaskRunner.run");
  EXPECT_FALSE(finder.Contains(thread));
  EXPECT_TRUE(finder.Contains(runner));
  const StackId leaf = push(push(runner, "a.B.c"), "d.E.f");
  const StackId other = push(push(thread, "a.B.c"), "org.apache.spark.executor.Executor$TaskRunner.runs");
  EXPECT_TRUE(finder.Contains(leaf));
  EXPECT_FALSE(finder.Contains(other));
}

}  // namespace
}  // namespace sparkprof
