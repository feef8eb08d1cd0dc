// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

class StreamingBehindTest : public StageFindingTest {
 protected:
  StreamingBehindTest() : StageFindingTest(4) {}

  void AddStreamingBatch(double seconds, int64_t rows, double input_rate, double processed_rate) {
    StreamingBatch batch;
    batch.query = 0;
    batch.id = static_cast<int64_t>(application().streaming_batches.size());
    batch.duration_ns = static_cast<int64_t>(seconds * 1e9);
    batch.input_rows = rows;
    batch.input_rows_per_second = input_rate;
    batch.processed_rows_per_second = processed_rate;
    application().streaming_batches.push_back(batch);
  }
};

TEST_F(StreamingBehindTest, BatchesThatGrowBecauseRowsArriveFasterAreBehind) {
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = "counts", .failure = {}});
  for (int i = 0; i < 3; ++i) AddStreamingBatch(1, 100, 111, 100);
  for (int i = 0; i < 3; ++i) AddStreamingBatch(1.3, 120, 111, 100);
  const Finding finding = Found("streaming-behind");
  EXPECT_EQ(Weighed(finding),
            "low, saves 309 ms (155 ms to 483 ms); cpu; 6 batches with rows: 1.0 s on average in the first half, 1.3 s "
            "in the second; the longest 1.3 s");
  EXPECT_EQ(finding.title, "Streaming query counts: rows arrive 1.1 times as fast as they are processed");
  for (StreamingBatch& batch : application().streaming_batches) batch.duration_ns = kSecond;
  EXPECT_FALSE(Finds("streaming-behind"));
}

TEST_F(StreamingBehindTest, AFewLongBatchesThatRowsOutrunAreBehind) {
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = "counts", .failure = {}});
  AddStreamingBatch(30, 600, 40, 20);
  const Finding finding = Found("streaming-behind");
  EXPECT_EQ(finding.evidence, "one batch with rows; the longest takes 30.0 s");
  StreamingBatch& batch = application().streaming_batches.front();
  batch.duration_ns -= 1;
  EXPECT_FALSE(Finds("streaming-behind"));
  batch.duration_ns += 1;
  batch.processed_rows_per_second += 1;
  EXPECT_FALSE(Finds("streaming-behind"));
}

TEST_F(StreamingBehindTest, ABacklogOfOnePartitionThatExceedsABatchIsBehind) {
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = "clicks", .failure = {}});
  AddStreamingBatch(40, 600, 15, 15);
  StreamingBatch& batch = application().streaming_batches.front();
  batch.offsets_behind = 601;
  const Finding finding = Found("streaming-behind");
  EXPECT_EQ(finding.title, "Streaming query clicks: 601 offsets of one partition wait after the last batch");
  EXPECT_EQ(finding.saving.high_ns, 0);
  batch.offsets_behind = 600;
  EXPECT_FALSE(Finds("streaming-behind"));
  batch.offsets_behind = 601;
  batch.duration_ns = 29 * kSecond;
  EXPECT_FALSE(Finds("streaming-behind"));
}

TEST_F(StreamingBehindTest, AStreamingQueryThatKeepsUpIsNotBehind) {
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = {}, .failure = {}});
  for (int i = 0; i < 3; ++i) AddStreamingBatch(1, 100, 109, 100);
  for (int i = 0; i < 3; ++i) AddStreamingBatch(2, 200, 109, 100);
  EXPECT_FALSE(Finds("streaming-behind"));
}

TEST_F(StreamingBehindTest, FourBatchesTellNothingAboutAStreamingQuery) {
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = {}, .failure = {}});
  for (int i = 0; i < 2; ++i) AddStreamingBatch(1, 100, 200, 100);
  for (int i = 0; i < 2; ++i) AddStreamingBatch(1.2, 120, 200, 100);
  EXPECT_FALSE(Finds("streaming-behind"));
  AddStreamingBatch(9, 0, 200, 100);  // without rows
  EXPECT_FALSE(Finds("streaming-behind"));
  AddStreamingBatch(1.2, 120, 200, 100);
  const Finding finding = Found("streaming-behind");
  EXPECT_EQ(finding.title, "Streaming query r: rows arrive 2.0 times as fast as they are processed");
  application().streaming_batches.back().duration_ns -= kSecond / 10;
  EXPECT_FALSE(Finds("streaming-behind")) << "batches are 1.17 times as long";
}

}  // namespace
}  // namespace sparkprof
