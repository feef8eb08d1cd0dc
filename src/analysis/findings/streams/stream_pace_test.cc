// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/streams/stream_pace.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

StreamingBatch BatchFrom(int64_t id, int64_t start_ns, int64_t duration_ns) {
  StreamingBatch batch;
  batch.id = id;
  batch.start_ns = start_ns;
  batch.duration_ns = duration_ns;
  return batch;
}

int64_t IdAt(const Application& application, int64_t time_ns) {
  const StreamingBatch* const batch = BatchTimes(application).At(time_ns);
  return batch == nullptr ? -1 : batch->id;
}

TEST(BatchTimesTest, ABatchLastsFromItsStartToItsEnd) {
  Application application;
  application.streaming_batches = {BatchFrom(1, 100, 50), BatchFrom(2, 200, 10)};
  EXPECT_EQ(IdAt(application, 99), -1);
  EXPECT_EQ(IdAt(application, 100), 1);
  EXPECT_EQ(IdAt(application, 149), 1);
  EXPECT_EQ(IdAt(application, 150), -1);
  EXPECT_EQ(IdAt(application, 209), 2);
  EXPECT_EQ(IdAt({}, 100), -1);
}

TEST(BatchTimesTest, OfBatchesThatOverlapTheFirstInTheLogCounts) {
  Application application;
  application.streaming_batches = {BatchFrom(1, 100, 10), BatchFrom(2, 120, 10), BatchFrom(3, 90, 100),
                                   BatchFrom(4, 125, 1)};
  EXPECT_EQ(IdAt(application, 105), 1);
  EXPECT_EQ(IdAt(application, 115), 3);
  EXPECT_EQ(IdAt(application, 125), 2);
  EXPECT_EQ(IdAt(application, 189), 3);
}

}  // namespace
}  // namespace sparkprof
