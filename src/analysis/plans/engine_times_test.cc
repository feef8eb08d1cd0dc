// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/engine_times.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace sparkprof {
namespace {

using Metrics = std::initializer_list<std::pair<std::string_view, int64_t>>;

PlanNode Node(std::string name, Metrics metrics) {
  PlanNode node;
  node.name = std::move(name);
  for (const auto& [metric, ns] : metrics)
    node.metrics.push_back({std::string(metric), "nsTiming", 1, true, static_cast<double>(ns)});
  return node;
}

std::optional<int64_t> OwnTime(std::string name, Metrics metrics) {
  return EngineTimeOf(Node(std::move(name), metrics)).own_ns;
}

std::optional<int64_t> InclusiveTime(std::string name, Metrics metrics) {
  const PlanNode node = Node(std::move(name), metrics);
  const EngineTime time = EngineTimeOf(node);
  return time.inclusive ? std::optional(time.inclusive->ns) : std::nullopt;
}

TEST(EngineTimesTest, AShuffleOfRapidsIsWritingAndReading) {
  EXPECT_EQ(OwnTime("GpuColumnarExchange", {{"shuffle write time", 3},
                                            {"rs. serialization time", 1},
                                            {"rs. shuffle write time", 6},
                                            {"rs. shuffle read time", 4}}),
            10);
  EXPECT_EQ(OwnTime("GpuColumnarExchange", {{"op time (shuffle write partitioning)", 1},
                                            {"op time (shuffle read)", 5},
                                            {"RAPIDS shuffle shuffle read time", 4},
                                            {"RAPIDS shuffle shuffle write time", 7}}),
            13);
  EXPECT_EQ(OwnTime("GpuColumnarExchange", {{"shuffle write time", 3}, {"rs. shuffle write time", 0}}), 3);
}

TEST(EngineTimesTest, TotalTimesOfOldRapidsAreWithoutTheirInput) {
  EXPECT_EQ(OwnTime("GpuProject", {{"total time", 12}}), 12);
  EXPECT_EQ(
      OwnTime("GpuShuffleCoalesce", {{"concat batch time", 100}, {"collect batch time", 360}, {"total time", 3266}}),
      2906);
  EXPECT_EQ(OwnTime("GpuShuffledHashJoin",
                    {{"join time", 178}, {"stream time", 261}, {"build time", 3449}, {"total time", 3904}}),
            194);
  EXPECT_EQ(OwnTime("GpuCoalesceBatches", {{"collect batch time", 20}, {"op time", 5}}), 5);
  EXPECT_EQ(OwnTime("GpuCoalesceBatches", {{"collect batch time", 20}, {"total time", 19}}), 0);
}

TEST(EngineTimesTest, RunningTheJobsOfABroadcastIsNoOwnTime) {
  const Metrics rapids = {{"collect batch time", 60}, {"build time", 3}, {"time to broadcast", 2}};
  EXPECT_EQ(OwnTime("GpuBroadcastExchange", rapids), 5);
  EXPECT_EQ(InclusiveTime("GpuBroadcastExchange", rapids), 60);
  const Metrics comet = {{"time to collect", 60}, {"time to build", 3}, {"time to broadcast", 2}};
  EXPECT_EQ(OwnTime("CometBroadcastExchange", comet), 5);
  EXPECT_EQ(InclusiveTime("CometBroadcastExchange", comet), 60);
  EXPECT_EQ(OwnTime("ColumnarBroadcastExchange", comet), 2);
  EXPECT_EQ(OwnTime("BroadcastExchange", comet), 2);  // building is a time of operator_frames.h
  EXPECT_EQ(InclusiveTime("BroadcastExchange", comet), 60);
}

TEST(EngineTimesTest, ConversionsHaveOwnTimeIfTheyMeasureIt) {
  EXPECT_EQ(OwnTime("VeloxColumnarToRow", {{"time to convert", 7}}), 7);
  EXPECT_EQ(OwnTime("CometNativeColumnarToRow", {{"time in conversion", 7}}), 7);
  // Reads Spark's rows while it measures.
  const Metrics rows = {{"time converting Spark batches to Arrow batches", 7}};
  EXPECT_EQ(OwnTime("CometSparkRowToColumnar", rows), std::nullopt);
  EXPECT_EQ(InclusiveTime("CometSparkRowToColumnar", rows), 7);
  EXPECT_EQ(OwnTime("CometSparkColumnarToColumnar", rows), 7);
}

TEST(EngineTimesTest, StepsOfGlutenCountOnce) {
  EXPECT_EQ(OwnTime("FileSourceScanExecTransformer", {{"time of scan", 5}, {"time of scan and filter", 8}}), 8);
  EXPECT_EQ(OwnTime("WriteFilesExecTransformer", {{"time of write", 9}, {"time of write IO", 6}}), 9);
  const Metrics input = {{"time of operator input", 50}};
  EXPECT_EQ(OwnTime("InputIteratorTransformer", input), std::nullopt);
  EXPECT_EQ(InclusiveTime("InputIteratorTransformer", input), 50);
}

TEST(EngineTimesTest, ShufflesOfNativeEnginesAreWritingAndReading) {
  EXPECT_EQ(OwnTime("CometExchange", {{"native shuffle writer time", 5}, {"decoding and decompression time", 2}}), 7);
  EXPECT_EQ(OwnTime("CometColumnarExchange", {{"shuffle write time", 4}, {"native shuffle writer time", 0}}), 4);
  EXPECT_EQ(
      OwnTime("ColumnarExchange",
              {{"shuffle wall time", 5}, {"time to split", 3}, {"time to deserialize", 1}, {"time to decompress", 1}}),
      7);
  EXPECT_EQ(
      OwnTime("NativeShuffleExchange", {{"Native.shuffle_write_total_time", 5}, {"Native.shuffle_read_total_time", 3}}),
      8);
}

TEST(EngineTimesTest, SparksOwnOperatorsHaveTheTimesOfTheirTable) {
  EXPECT_EQ(EngineTimeOf(Node("Exchange", {})).engine, nullptr);
  EXPECT_EQ(OwnTime("Exchange", {{"shuffle write time", 4}, {"fetch wait time", 9}}), 4);
  EXPECT_EQ(OwnTime("Execute InsertIntoHadoopFsRelationCommand", {{"task commit time", 3}, {"job commit time", 6}}), 9);
  EXPECT_EQ(OwnTime("ArrowEvalPython", {{"time to run Python workers", 4}}), std::nullopt);
  EXPECT_EQ(InclusiveTime("ArrowEvalPython", {{"time to run Python workers", 4}}), 4);
  EXPECT_EQ(OwnTime("Filter", {}), std::nullopt);
}

}  // namespace
}  // namespace sparkprof
