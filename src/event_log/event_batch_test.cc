// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_batch.h"

#include <gtest/gtest.h>

#include <string>

#include "base/io/byte_source.h"
#include "event_log/batch_queue.h"
#include "event_log/event_reader.h"

namespace sparkprof {
namespace {

constexpr std::string_view kHead =
    R"({"Event":"SparkListenerLogStart","Spark Version":"3.5.7"}
{"Event":"SparkListenerApplicationStart","App ID":"a","Timestamp":5}
{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":3,"Stage Attempt ID":0}}
)";

// Tasks of two executors with lists of different lengths; some fail, some events are damaged.
std::string Log(int tasks) {
  std::string log(kHead);
  for (int task = 0; task < tasks; ++task) {
    const std::string id = std::to_string(task);
    const std::string info = R"("Task Info":{"Task ID":)" + id + R"(,"Index":)" + id + R"(,"Executor ID":")" +
                             std::to_string(task % 2) + R"(","Host":"h)" + std::to_string(task % 3) +
                             R"(","Launch Time":1000,"Finish Time":2)" + id;
    log += R"({"Event":"SparkListenerTaskStart","Stage ID":3,)" + info + "}}\n";
    const std::string more = task % 4 == 0 ? R"(,"MajorGCCount":)" + id : "";
    const std::string reason = task % 5 == 0 ? R"({"Reason":"TaskKilled","Kill Reason":"why )" + id + "\"}"
                                             : std::string(R"({"Reason":"Success"})");
    log += R"({"Event":"SparkListenerTaskEnd","Stage ID":3,"Task End Reason":)" + reason + "," + info +
           R"(,"Accumulables":[{"ID":7,"Update":")" + id + R"("}]},"Task Metrics":{"Executor CPU Time":)" + id +
           R"(},"Task Executor Metrics":{"JVMHeapMemory":)" + id + more + "}}\n";
    if (task % 50 == 0)
      log += "{\"Event\":\"SparkListenerTaskEnd\",\"Task Info\":{\n{\"Event\":\"SparkListenerTaskEnd\"}\n";
    if (task % 70 == 0) log += "{\"Event\":\"SparkListenerTaskDreams\"}\n\r\n";
  }
  return log;
}

void ExpectSame(const Application& read, const Application& expected) {
  EXPECT_EQ(read.id, expected.id);
  EXPECT_EQ(read.tasks.stage, expected.tasks.stage);
  EXPECT_EQ(read.tasks.executor, expected.tasks.executor);
  EXPECT_EQ(read.tasks.finish_ns, expected.tasks.finish_ns);
  EXPECT_EQ(read.tasks.outcome, expected.tasks.outcome);
  ASSERT_EQ(read.tasks.Size(), expected.tasks.Size());
  for (size_t row = 0; row < read.tasks.Size(); ++row) {
    EXPECT_EQ(read.profile.strings.Get(read.tasks.reason[row]),
              expected.profile.strings.Get(expected.tasks.reason[row]));
    EXPECT_EQ(read.tasks.Column(TaskMetric::kExecutorCpuTime)[row],
              expected.tasks.Column(TaskMetric::kExecutorCpuTime)[row]);
  }
  ASSERT_EQ(read.executors.size(), expected.executors.size());
  for (size_t row = 0; row < read.executors.size(); ++row) {
    EXPECT_EQ(read.executors[row].host, expected.executors[row].host);
    EXPECT_EQ(read.executors[row].peak_metrics, expected.executors[row].peak_metrics);
  }
  EXPECT_EQ(read.damaged_events, expected.damaged_events);
  EXPECT_EQ(read.unknown_events, expected.unknown_events);
}

TEST(EventBatchTest, BatchesOfAnySizeGiveWhatLinesGive) {
  const std::string log = Log(300);
  Application expected;
  EventReader lines(&expected);
  EXPECT_EQ(lines.AddLines(log), "");
  lines.Finish();
  EXPECT_EQ(expected.damaged_events, 12);
  EXPECT_EQ(expected.unknown_events, 5);
  for (const size_t block_bytes : {size_t{256}, size_t{5000}, size_t{1} << 20}) {
    LineReader source(ViewSource(log), {.block_bytes = block_bytes});
    Application read;
    EventReader reader(&read);
    BatchQueue<EventBatch> batches([&](LineBlock* block) { source.Next(block); }, 3);
    while (const EventBatch* const batch = batches.Next()) {
      EventBatchPosition position;
      EXPECT_TRUE(reader.AddBatch(*batch, &position));
    }
    reader.Finish();
    ExpectSame(read, expected);
  }
}

TEST(EventBatchTest, ABatchWithSeveralLogsIsAddedToOneApplicationAfterTheOther) {
  const std::string log = Log(10) + Log(20);
  LineReader source(ViewSource(log));
  EventBatch batch;
  EventParser parser;
  source.Next(&batch.Lines());
  batch.Decode(&parser);
  EventBatchPosition position;
  Application first, second;
  EventReader first_reader(&first), second_reader(&second);
  EXPECT_FALSE(first_reader.AddBatch(batch, &position));
  EXPECT_TRUE(second_reader.AddBatch(batch, &position));
  EXPECT_EQ(first.tasks.Size(), 10u);
  EXPECT_EQ(second.tasks.Size(), 20u);
  EXPECT_EQ(second.tasks.Column(TaskMetric::kExecutorCpuTime)[19], 19);
}

TEST(BatchQueueTest, ThrowsWhatAThreadHasThrown) {
  for (const size_t threads : {1, 3}) {
    BatchQueue<EventBatch> batches([](LineBlock*) { throw std::bad_alloc(); }, threads);
    EXPECT_THROW(batches.Next(), std::bad_alloc);
  }
}

TEST(BatchQueueTest, EndsWithoutReadingTheRestWhenNoMoreIsTaken) {
  const std::string log = Log(300);
  LineReader source(ViewSource(log), {.block_bytes = 1000});
  BatchQueue<EventBatch> batches([&](LineBlock* block) { source.Next(block); }, 2);
  EXPECT_NE(batches.Next(), nullptr);
}

}  // namespace
}  // namespace sparkprof
