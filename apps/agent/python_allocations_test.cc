// SPDX-License-Identifier: Apache-2.0
#include "python_allocations.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

class PythonAllocationsTest : public ::testing::Test {
 protected:
  uint64_t Allocate(double at_s, const std::string& function, int64_t weight, int64_t task = 7) {
    StackTables* const tables = allocations_.Tables();
    SegmentSample row;
    row.task = task;
    row.weight = weight;
    row.stack =
        tables->stacks.Push(0, tables->frames.Intern({tables->strings.Intern(function), 0, 1, FrameKind::kPython}));
    return allocations_.Allocated(static_cast<int64_t>(at_s * kSecond), 41, 42, row);
  }
  void Release(double at_s, uint64_t block) { allocations_.Released(static_cast<int64_t>(at_s * kSecond), block); }

  // Held bytes by function at the end of a bucket, from all rows so far.
  std::map<std::string, int64_t> HeldAt(int64_t bucket) {
    SampleBatch batch;
    allocations_.AddRows(100 * kSecond, &batch);
    for (const SegmentSample& row : batch.samples.Rows()) {
      EXPECT_EQ(batch.threads[row.thread].pid, 41);
      EXPECT_EQ(batch.threads[row.thread].tid, 42);
      EXPECT_EQ(row.task, 7);
      const FrameId frame = batch.stacks.Get(row.stack).frame;
      const int64_t bytes = row.event == Event::kPythonAlloc ? row.weight : -row.weight;
      changes_[row.bucket][std::string(batch.strings.Get(batch.frames.Get(frame).name))] += bytes;
    }
    std::map<std::string, int64_t> held;
    for (const auto& [at, changes] : changes_) {
      if (at > bucket) break;
      for (const auto& [function, bytes] : changes) held[function] += bytes;
    }
    std::erase_if(held, [](const auto& one) { return one.second == 0; });
    return held;
  }

  PythonAllocations allocations_{kSecond};
  std::map<int64_t, std::map<std::string, int64_t>> changes_;
};

using Held = std::map<std::string, int64_t>;

TEST_F(PythonAllocationsTest, WhatIsAllocatedAndFreedWithinABucketIsHeldAtItsPeak) {
  const uint64_t first = Allocate(1.1, "parse", 100), second = Allocate(1.2, "score", 50);
  Release(1.3, first);
  Release(1.4, second);
  EXPECT_EQ(HeldAt(1), (Held{{"parse", 100}, {"score", 50}}));
  EXPECT_EQ(HeldAt(2), Held());
}

TEST_F(PythonAllocationsTest, ABlockThatReplacesAnotherAfterThePeakCountsForTheNextBucket) {
  const uint64_t old = Allocate(1.1, "old", 100);
  Release(1.5, old);
  Allocate(1.6, "new", 90);
  EXPECT_EQ(HeldAt(1), (Held{{"old", 100}}));
  EXPECT_EQ(HeldAt(2), (Held{{"new", 90}}));
}

TEST_F(PythonAllocationsTest, BlocksThatComeAndGoAfterThePeakAreNeverHeld) {
  Allocate(1.1, "cache", 100);
  const uint64_t large = Allocate(1.2, "load", 500);
  Release(1.3, large);
  for (int i = 0; i < 100; ++i) Release(1.4, Allocate(1.4, "churn", 10));
  EXPECT_EQ(HeldAt(1), (Held{{"cache", 100}, {"load", 500}}));
  EXPECT_EQ(HeldAt(2), (Held{{"cache", 100}}));
}

TEST_F(PythonAllocationsTest, ABucketThatOnlyFreesHoldsWhatItBeganWith) {
  const uint64_t block = Allocate(1.1, "cache", 100);
  Allocate(1.2, "model", 10);
  Release(3.5, block);
  EXPECT_EQ(HeldAt(2), (Held{{"cache", 100}, {"model", 10}}));
  EXPECT_EQ(HeldAt(3), (Held{{"cache", 100}, {"model", 10}}));
  EXPECT_EQ(HeldAt(4), (Held{{"model", 10}}));
}

// The clocks were read before the worker's last allocations, or the epoch clock was set back.
TEST_F(PythonAllocationsTest, AReleaseIsNeverBeforeItsAllocation) {
  Release(1.1, Allocate(1.2, "last", 100));
  Release(1.9, Allocate(2.1, "later", 10));
  EXPECT_EQ(HeldAt(1), (Held{{"last", 100}}));
  EXPECT_EQ(HeldAt(2), (Held{{"later", 10}}));
  EXPECT_EQ(HeldAt(3), Held());
}

TEST_F(PythonAllocationsTest, RowsOfAnUnfinishedBucketWait) {
  Allocate(1.1, "first", 1);
  Allocate(2.1, "second", 1);
  SampleBatch batch;
  allocations_.AddRows(2 * kSecond + 1, &batch);
  ASSERT_EQ(batch.samples.Rows().size(), 1U);
  SampleBatch rest;
  allocations_.AddRows(3 * kSecond, &rest);
  ASSERT_EQ(rest.samples.Rows().size(), 1U);
  EXPECT_EQ(rest.samples.Rows()[0].bucket, 2);
}

}  // namespace
}  // namespace sparkprof
