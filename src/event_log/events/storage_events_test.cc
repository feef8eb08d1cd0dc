// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/time.h"
#include "event_log/event_writer.h"
#include "event_log/events/event_handlers.h"
#include "event_log/testing/read_events.h"

namespace sparkprof {
namespace {

constexpr std::string_view kStage =
    R"({"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":3,"Stage Attempt ID":0,"Number of Tasks":2,)"
    R"("Submission Time":1000,"RDD Info":[{"RDD ID":9,"Name":"events","Number of Partitions":2,"Storage Level":)"
    R"({"Use Disk":true,"Use Memory":true,"Use Off Heap":false,"Deserialized":true,"Replication":2}}]}})";

std::string Block(std::string_view id, std::string_view executor, int64_t memory, int64_t disk) {
  return fmt::format(
      R"({{"Event":"SparkListenerBlockUpdated","Block Updated Info":{{"Block Manager ID":{{"Executor ID":"{}"}},)"
      R"("Block ID":"{}","Storage Level":{{"Use Disk":{},"Use Memory":{}}},"Memory Size":{},"Disk Size":{}}}}})",
      executor, id, disk > 0, memory > 0, memory > 0 ? memory : 77, disk);
}

std::string At(int64_t millis) {
  return fmt::format(R"({{"Event":"SparkListenerExecutorAdded","Executor ID":"x","Timestamp":{}}})", millis);
}

const std::string kUnpersist = R"({"Event":"SparkListenerUnpersistRDD","RDD ID":9})";

StoredBlocks Stored(int64_t millis, int64_t partitions, int64_t memory, int64_t disk) {
  return {millis * kNanosPerMilli, partitions, memory, disk};
}

TEST(StorageEventsTest, BlocksAddUpOverTimeAndAPartitionCountsOnce) {
  const Application application =
      ReadEvents({kStage, Block("rdd_9_0", "1", 100, 0), At(2000), Block("rdd_9_0", "2", 100, 0), At(3000),
                  Block("rdd_9_1", "1", 50, 0), Block("broadcast_1", "1", 9, 0)});
  ASSERT_EQ(application.cached_rdds.size(), 1u);
  const CachedRdd& rdd = application.cached_rdds[0];
  EXPECT_EQ(rdd.stored, (std::vector{Stored(1000, 1, 100, 0), Stored(2000, 1, 200, 0), Stored(3000, 2, 250, 0)}));
  EXPECT_EQ(rdd.peak_memory_bytes, 250);
  EXPECT_EQ(rdd.partition_count, 2);
  EXPECT_EQ(rdd.replication, 2);
  EXPECT_TRUE(rdd.deserialized);
  EXPECT_EQ(rdd.unpersist_ns, 0);
}

TEST(StorageEventsTest, ABlockThatMovesToDiskWasEvicted) {
  const Application application =
      ReadEvents({kStage, Block("rdd_9_0", "1", 100, 0), At(2000), Block("rdd_9_0", "1", 0, 80)});
  const CachedRdd& rdd = application.cached_rdds.at(0);
  EXPECT_EQ(rdd.stored.back(), Stored(2000, 1, 0, 80));
  EXPECT_EQ(rdd.evicted_blocks, 1);
  EXPECT_EQ(rdd.peak_disk_bytes, 80);
}

TEST(StorageEventsTest, WhatTheProgramGivesUpIsNotEvicted) {
  const Application application = ReadEvents({kStage, Block("rdd_9_0", "1", 100, 0), At(2000), kUnpersist});
  const CachedRdd& rdd = application.cached_rdds.at(0);
  EXPECT_EQ(rdd.stored.back(), Stored(2000, 0, 0, 0));
  EXPECT_EQ(rdd.unpersist_ns, 2000 * kNanosPerMilli);
  EXPECT_EQ(rdd.evicted_blocks, 0);
}

TEST(StorageEventsTest, BlocksGoWithTheirExecutor) {
  const Application application =
      ReadEvents({kStage, Block("rdd_9_0", "1", 100, 0), Block("rdd_9_0", "2", 100, 0),
                  R"({"Event":"SparkListenerExecutorRemoved","Executor ID":"1","Timestamp":4000})"});
  const CachedRdd& rdd = application.cached_rdds.at(0);
  EXPECT_EQ(rdd.stored.back(), Stored(4000, 1, 100, 0));
  EXPECT_EQ(rdd.lost_blocks, 1);
  EXPECT_EQ(rdd.evicted_blocks, 0);
}

TEST(StorageEventsTest, TheBlocksOfATaskCountOnceWhereTheyAreLoggedTwice) {
  const std::string task =
      R"({"Event":"SparkListenerTaskEnd","Stage ID":3,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},)"
      R"("Task Info":{"Task ID":1,"Executor ID":"1","Launch Time":1000,"Finish Time":1500},"Task Metrics":{)"
      R"("Updated Blocks":[{"Block ID":"rdd_9_0","Status":{"Storage Level":{"Use Memory":true},"Memory Size":70}}]}})";
  const Application application = ReadEvents({kStage, task, Block("rdd_9_0", "1", 70, 0)});
  EXPECT_EQ(application.cached_rdds.at(0).stored, std::vector{Stored(1500, 1, 70, 0)});
}

TEST(StorageEventsTest, VeryManyChangesKeepTheirPeak) {
  Application application;
  EventReader reader(&application);
  reader.Add(kStage);
  for (int64_t i = 1; i <= 10'000; ++i) {
    reader.Add(At(1000 + i));
    reader.Add(Block("rdd_9_0", "1", i == 5001 ? 999 : 10 + i % 2, 0));
  }
  reader.Finish();
  const CachedRdd& rdd = application.cached_rdds.at(0);
  EXPECT_LE(rdd.stored.size(), 4096u);
  EXPECT_EQ(rdd.peak_memory_bytes, 999);
  EXPECT_EQ(rdd.stored.back().time_ns, 11'000 * kNanosPerMilli);
}

TEST(StorageEventsTest, WhatIsWrittenIsReadBack) {
  const Application first = ReadEvents({kStage, Block("rdd_9_0", "1", 100, 0), At(2000), Block("rdd_9_1", "1", 30, 0),
                                        At(3000), Block("rdd_9_1", "1", 0, 20), At(4000), kUnpersist});
  Application copy;
  EventReader reader(&copy);
  WriteEvents(first, [&](std::string&& event) { reader.Add(event); });
  reader.Finish();
  const CachedRdd &before = first.cached_rdds.at(0), &after = copy.cached_rdds.at(0);
  EXPECT_EQ(after.stored, before.stored);
  EXPECT_EQ(after.peak_memory_bytes, before.peak_memory_bytes);
  EXPECT_EQ(after.peak_disk_bytes, before.peak_disk_bytes);
  EXPECT_EQ(after.evicted_blocks, 1);
  EXPECT_EQ(after.unpersist_ns, before.unpersist_ns);
  EXPECT_EQ(after.partition_count, before.partition_count);
  EXPECT_EQ(after.replication, before.replication);
  EXPECT_TRUE(after.deserialized);
  EXPECT_EQ(copy.unknown_events, 0);
}

TEST(StorageEventsTest, EventsWithoutTheirRddAreDamaged) {
  const Application application = ReadEvents(
      {R"({"Event":"SparkListenerUnpersistRDD"})", R"({"Event":"SparkListenerBlockUpdated","Block Updated Info":{}})"});
  EXPECT_EQ(application.damaged_events, 2);
  EXPECT_TRUE(application.cached_rdds.empty());
}

}  // namespace
}  // namespace sparkprof
