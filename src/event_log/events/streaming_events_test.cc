// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/time.h"
#include "event_log/event_writer.h"
#include "event_log/events/event_handlers.h"
#include "event_log/testing/read_events.h"

namespace sparkprof {
namespace {

constexpr std::string_view kStart =
    R"({"Event":"org.apache.spark.sql.streaming.StreamingQueryListener$QueryStartedEvent","id":"a","runId":"r",)"
    R"("name":"counts","timestamp":"2026-11-23T17:00:10.000Z"})";
constexpr std::string_view kProgress =
    R"({"Event":"org.apache.spark.sql.streaming.StreamingQueryListener$QueryProgressEvent","progress":{"id":"a",)"
    R"("runId":"r","name":"counts","timestamp":"2026-11-23T17:00:13.856Z","batchId":4,"batchDuration":905,)"
    R"("durationMs":{"addBatch":588,"walCommit":25},"stateOperators":[{"numRowsTotal":7,"memoryUsedBytes":480},)"
    R"({"numRowsTotal":1,"memoryUsedBytes":20}],"sources":[{"numInputRows":30,"inputRowsPerSecond":10.0,)"
    R"("processedRowsPerSecond":33.5,"metrics":{"maxOffsetsBehindLatest":"12"}},{"numInputRows":1,)"
    R"("inputRowsPerSecond":"NaN"}],"eventTime":{"watermark":"2026-11-23T17:00:01.000Z"}}})";
constexpr std::string_view kEnd =
    R"({"Event":"org.apache.spark.sql.streaming.StreamingQueryListener$QueryTerminatedEvent","id":"a","runId":"r",)"
    R"("exception":"out of disk space"})";
constexpr int64_t kBatchStart = 1'795'453'213'856 * kNanosPerMilli;

void ExpectTheQuery(const Application& application) {
  ASSERT_EQ(application.streaming_queries.size(), 1u);
  const StreamingQuery& query = application.streaming_queries[0];
  EXPECT_EQ(query.id, "a");
  EXPECT_EQ(query.run_id, "r");
  EXPECT_EQ(query.name, "counts");
  EXPECT_EQ(query.start_ns, 1'795'453'210 * kNanosPerSecond);
  EXPECT_EQ(query.end_ns, kBatchStart + 905 * kNanosPerMilli);
  EXPECT_EQ(query.failure, "out of disk space");
  ASSERT_EQ(application.streaming_batches.size(), 1u);
  const StreamingBatch& batch = application.streaming_batches[0];
  EXPECT_EQ(batch.id, 4);
  EXPECT_EQ(batch.start_ns, kBatchStart);
  EXPECT_EQ(batch.duration_ns, 905 * kNanosPerMilli);
  EXPECT_EQ(batch.input_rows, 31);
  EXPECT_EQ(batch.input_rows_per_second, 10);
  EXPECT_EQ(batch.processed_rows_per_second, 33.5);
  EXPECT_EQ(batch.state_rows, 8);
  EXPECT_EQ(batch.state_bytes, 500);
  EXPECT_EQ(batch.offsets_behind, 12);
  EXPECT_EQ(batch.watermark_ns, 1'795'453'201 * kNanosPerSecond);
  EXPECT_EQ(batch.phases_ns.size(), 2u);
  EXPECT_EQ(application.unknown_events, 0);
  EXPECT_EQ(application.damaged_events, 0);
}

TEST(StreamingEventsTest, AQueryHasItsBatches) { ExpectTheQuery(ReadEvents({kStart, kProgress, kEnd})); }

TEST(StreamingEventsTest, WhatIsWrittenIsReadBack) {
  Application copy;
  EventReader reader(&copy);
  WriteEvents(ReadEvents({kStart, kProgress, kEnd}), [&](std::string&& event) { reader.Add(event); });
  reader.Finish();
  ExpectTheQuery(copy);
}

TEST(StreamingEventsTest, OffsetsTellTheLagOfASourceWithoutMetrics) {
  const Application application =
      ReadEvents({R"({"Event":"org.apache.spark.sql.streaming.StreamingQueryListener$QueryProgressEvent","progress":{)"
                  R"("runId":"r","batchId":0,"sources":[{"endOffset":{"t":{"0":7,"1":9,"2":1}},)"
                  R"("latestOffset":{"t":{"0":8,"1":29,"2":0},"u":{"0":99}}}]}})"});
  ASSERT_EQ(application.streaming_batches.size(), 1u);
  EXPECT_EQ(application.streaming_batches[0].offsets_behind, 20);
}

TEST(StreamingEventsTest, ABatchWithoutItsDurationHasThatOfItsTrigger) {
  const Application application =
      ReadEvents({R"({"Event":"org.apache.spark.sql.streaming.StreamingQueryListener$QueryProgressEvent","progress":{)"
                  R"("runId":"r","batchId":0,"durationMs":{"triggerExecution":70}}})"});
  ASSERT_EQ(application.streaming_batches.size(), 1u);
  EXPECT_EQ(application.streaming_batches[0].duration_ns, 70 * kNanosPerMilli);
  EXPECT_EQ(application.streaming_batches[0].offsets_behind, -1);
  EXPECT_EQ(application.streaming_batches[0].watermark_ns, 0);
}

TEST(StreamingEventsTest, EventsWithoutTheirRunAreDamaged) {
  const Application application = ReadEvents(
      {R"({"Event":"org.apache.spark.sql.streaming.StreamingQueryListener$QueryProgressEvent","progress":{}})",
       R"({"Event":"org.apache.spark.sql.streaming.StreamingQueryListener$QueryStartedEvent"})"});
  EXPECT_EQ(application.damaged_events, 2);
  EXPECT_TRUE(application.streaming_batches.empty());
}

TEST(StreamingEventsTest, CachedDataAndResubmittedTasksAreReadBack) {
  const std::string stage =
      R"({"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":3,"Stage Attempt ID":0,"Number of Tasks":1,)"
      R"("RDD Info":[{"RDD ID":9,"Name":"events","Storage Level":{"Use Disk":true,"Use Memory":true}},)"
      R"({"RDD ID":8,"Name":"plain","Storage Level":{"Use Disk":false,"Use Memory":false}}]}})";
  const std::string again =
      R"({"Event":"SparkListenerTaskEnd","Stage ID":3,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Resubmitted"},)"
      R"("Task Info":{"Task ID":1,"Executor ID":"1"}})";
  const std::string executor =
      R"({"Event":"SparkListenerExecutorAdded","Executor ID":"1","Executor Info":{},"Timestamp":1000})";
  Application copy;
  EventReader reader(&copy);
  WriteEvents(ReadEvents({executor, stage, again}), [&](std::string&& event) { reader.Add(event); });
  reader.Finish();
  ASSERT_EQ(copy.cached_rdds.size(), 1u);
  EXPECT_EQ(copy.cached_rdds[0].id, 9);
  EXPECT_EQ(copy.cached_rdds[0].name, "events");
  EXPECT_TRUE(copy.cached_rdds[0].in_memory && copy.cached_rdds[0].on_disk);
  EXPECT_EQ(copy.cached_rdds[0].stages, std::vector<int64_t>{3});
  ASSERT_EQ(copy.stages.size(), 1u);
  EXPECT_EQ(copy.stages[0].resubmitted_tasks, 1);
  ASSERT_EQ(copy.executors.size(), 1u);
  EXPECT_EQ(copy.executors[0].resubmitted_tasks, 1);
  EXPECT_EQ(copy.tasks.Size(), 0u);
}

}  // namespace
}  // namespace sparkprof
