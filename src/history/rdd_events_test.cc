// SPDX-License-Identifier: Apache-2.0
// Cached RDDs and the memory of executors that hold their blocks.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "history/testing/history_fixture.h"

namespace sparkprof {
namespace {

class RddEventsTest : public HistoryFixture {};

std::string Level(bool memory, bool disk) {
  const auto text = [](bool value) { return std::string(value ? "true" : "false"); };
  return R"({"Use Disk":)" + text(disk) + R"(,"Use Memory":)" + text(memory) +
         R"(,"Deserialized":true,"Replication":1})";
}

std::string StageWithRdd() {
  return R"({"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":3,"Stage Attempt ID":0,"Stage Name":"s",)"
         R"("Number of Tasks":2,"Details":"","Submission Time":2000,"RDD Info":[{"RDD ID":5,"Name":"table t","Scope":"{}",)"
         R"("Storage Level":)" +
         Level(true, false) +
         R"(,"Number of Partitions":2,"Number of Cached Partitions":0,"Memory Size":0,"Disk Size":0},)"
         R"({"RDD ID":6,"Name":"not cached","Storage Level":{"Use Disk":false,"Use Memory":false,"Replication":1},)"
         R"("Number of Partitions":9}]}})";
}

std::string Manager(const std::string& executor, const std::string& more = "") {
  return R"({"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":")" + executor +
         R"(","Host":"h1","Port":1},"Maximum Memory":1000,"Timestamp":1300)" + more + "}";
}

std::string Block(const std::string& executor, const std::string& block, const std::string& level, int memory,
                  int disk = 0) {
  return R"({"Event":"SparkListenerBlockUpdated","Block Updated Info":{"Block Manager ID":{"Executor ID":")" +
         executor + R"(","Host":"h1","Port":1},"Block ID":")" + block + R"(","Storage Level":)" + level +
         R"(,"Memory Size":)" + std::to_string(memory) + R"(,"Disk Size":)" + std::to_string(disk) + "}}";
}

// Two executors; the first has a block of 300 bytes.
std::vector<std::string> Cached() {
  return {ExecutorAdded("1", "h1"),
          ExecutorAdded("2", "h1"),
          Manager("1"),
          Manager("2"),
          StageWithRdd(),
          Block("1", "rdd_5_0", Level(true, false), 300)};
}

TEST_F(RddEventsTest, ACachedRddIsThereUntilItIsUnpersisted) {
  std::vector<std::string> events = Cached();
  const std::string list = Get(events, {"storage", "rdd"});
  ExpectHas(list, {R"("id":5)", R"("name":"table t")", R"("memoryUsed":300)"});
  ExpectHasNot(list, {"not cached"});
  ExpectHas(Get(events, {"storage", "rdd", "5"}),
            {R"("numPartitions":2,"numCachedPartitions":1)", R"("blockName":"rdd_5_0")", R"("executors":["1"])",
             R"("storageLevel":"Memory Deserialized 1x Replicated")", R"("memoryRemaining":700)"});
  ExpectHas(Get(events, {"executors"}), {R"("rddBlocks":1,"memoryUsed":300)", R"("maxMemory":1000)"});
  events.push_back(R"({"Event":"SparkListenerUnpersistRDD","RDD ID":5})");
  EXPECT_EQ(Get(events, {"storage", "rdd"}), "[]");
  ExpectHasNot(Get(events, {"executors"}), {R"("memoryUsed":300)", R"("rddBlocks":1)"});
}

TEST_F(RddEventsTest, ABlockThatLeavesMemoryIsGone) {
  std::vector<std::string> events = Cached();
  events.push_back(Block("1", "rdd_5_1", Level(true, false), 200));
  ExpectHas(Get(events, {"storage", "rdd", "5"}), {R"("numCachedPartitions":2)", R"("memoryUsed":500)"});
  events.push_back(Block("1", "rdd_5_1", R"({"Use Disk":false,"Use Memory":false,"Replication":1})", 200));
  ExpectHas(Get(events, {"storage", "rdd", "5"}), {R"("numCachedPartitions":1)", R"("memoryUsed":300)"});
  ExpectHas(Get(events, {"executors"}), {R"("rddBlocks":1,"memoryUsed":300)"});
}

TEST_F(RddEventsTest, ABlockOnTwoExecutorsHasTwoCopies) {
  std::vector<std::string> events = Cached();
  events.push_back(Block("2", "rdd_5_0", Level(true, false), 300));
  ExpectHas(Get(events, {"storage", "rdd", "5"}),
            {R"("numCachedPartitions":1)", R"("memoryUsed":600)", R"("executors":["1","2"])",
             R"("storageLevel":"Memory Deserialized 2x Replicated")"});
}

TEST_F(RddEventsTest, ALostExecutorLosesItsCopies) {
  std::vector<std::string> events = Cached();
  events.push_back(Block("2", "rdd_5_0", Level(true, false), 300));
  events.push_back(Block("2", "rdd_5_1", Level(true, false), 50));
  events.push_back(
      R"({"Event":"SparkListenerExecutorRemoved","Timestamp":2200,"Executor ID":"2","Removed Reason":"lost"})");
  ExpectHas(Get(events, {"storage", "rdd", "5"}),
            {R"("numCachedPartitions":1)", R"("memoryUsed":300)", R"("executors":["1"])"});
}

TEST_F(RddEventsTest, BlocksOnDiskUseDisk) {
  std::vector<std::string> events = Cached();
  events.push_back(Block("1", "rdd_5_1", Level(false, true), 0, 70));
  ExpectHas(Get(events, {"storage", "rdd", "5"}),
            {R"("diskUsed":70)", R"("storageLevel":"Disk Serialized 1x Replicated")"});
  ExpectHas(Get(events, {"executors"}), {R"("memoryUsed":300,"diskUsed":70)"});
}

TEST_F(RddEventsTest, AnRddHasItsDistributionAndItsPartitions) {
  std::vector<std::string> events = Cached();
  events.push_back(Block("2", "rdd_5_1", Level(true, true), 40, 7));
  EXPECT_EQ(Get(events, {"storage", "rdd", "5"}),
            R"({"id":5,"name":"table t","numPartitions":2,"numCachedPartitions":2,)"
            R"("storageLevel":"Memory Deserialized 1x Replicated","memoryUsed":340,"diskUsed":7,"dataDistribution":[)"
            R"({"address":"h1:1","memoryUsed":300,"memoryRemaining":700,"diskUsed":0},)"
            R"({"address":"h1:1","memoryUsed":40,"memoryRemaining":960,"diskUsed":7}],"partitions":[)"
            R"({"blockName":"rdd_5_0","storageLevel":"Memory Deserialized 1x Replicated","memoryUsed":300,)"
            R"("diskUsed":0,"executors":["1"]},{"blockName":"rdd_5_1","storageLevel":"Disk Memory Deserialized 1x )"
            R"(Replicated","memoryUsed":40,"diskUsed":7,"executors":["2"]}]})");
}

TEST_F(RddEventsTest, BroadcastsUseMemoryButAreNotBlocksOfAnRdd) {
  std::vector<std::string> events = Cached();
  events.push_back(Block("1", "broadcast_7_piece0", Level(true, false), 40));
  events.push_back(Block("1", "rdd_x_0", Level(true, false), 1000));
  ExpectHas(Get(events, {"executors"}), {R"("rddBlocks":1,"memoryUsed":340)"});
}

TEST_F(RddEventsTest, MemoryOnAndOffTheHeapIsToldApartWhereTheLogDoes) {
  std::vector<std::string> events = Cached();
  ExpectHasNot(Get(events, {"executors"}), {"memoryMetrics"});
  events[2] = Manager("1", R"(,"Maximum Onheap Memory":800,"Maximum Offheap Memory":200)");
  ExpectHas(Get(events, {"executors"}),
            {R"("memoryMetrics":{"usedOnHeapStorageMemory":300,"usedOffHeapStorageMemory":0,)"
             R"("totalOnHeapStorageMemory":800,"totalOffHeapStorageMemory":200})"});
  ExpectHas(
      Get(events, {"storage", "rdd", "5"}),
      {R"("onHeapMemoryUsed":300,"offHeapMemoryUsed":0,"onHeapMemoryRemaining":500,"offHeapMemoryRemaining":200)"});
}

}  // namespace
}  // namespace sparkprof
