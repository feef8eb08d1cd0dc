// SPDX-License-Identifier: Apache-2.0
#include "model/segment_codec.h"

#include <gtest/gtest.h>

#include "model/testing/example_segment.h"

namespace sparkprof {
namespace {

TEST(SegmentCodecTest, RoundTripsEveryField) {
  const Segment segment = ExampleSegment();
  const Result<Segment> copy = DecodeSegment(EncodeSegment(segment));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(copy->source.application_id, "app-1");
  EXPECT_EQ(copy->source.Identity(), segment.source.Identity());
  EXPECT_EQ(copy->anchors[0].epoch_ns, segment.anchors[0].epoch_ns);
  ASSERT_EQ(copy->samples.size(), segment.samples.size());
  for (size_t i = 0; i < segment.samples.size(); ++i) {
    EXPECT_TRUE(copy->samples[i].SameKey(segment.samples[i]));
    EXPECT_EQ(copy->samples[i].weight, segment.samples[i].weight);
    EXPECT_EQ(copy->samples[i].count, segment.samples[i].count);
  }
  std::vector<FrameId> frames;
  copy->stacks.Unwind(copy->samples[0].stack, &frames);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(copy->strings.Get(copy->frames.Get(frames[1]).name), "com.example.Job.burn");
  EXPECT_EQ(copy->frames.Get(frames[1]).kind, FrameKind::kJit);
  ASSERT_EQ(copy->task_intervals.size(), 1u);
  EXPECT_EQ(copy->task_intervals[0].end_ns, segment.task_intervals[0].end_ns);
  EXPECT_EQ(copy->task_intervals[0].status, TaskStatus::kSucceeded);
  EXPECT_EQ(copy->spark_events, segment.spark_events);
  ASSERT_EQ(copy->series.size(), 1u);
  EXPECT_EQ(copy->series[0].points[1].value, 2.5);
  EXPECT_EQ(copy->processes[0].role, "jvm");
  EXPECT_EQ(copy->losses[0].count, 3);
  EXPECT_EQ(copy->notices[0].level, NoticeLevel::kWarning);
  EXPECT_EQ(copy->settings[0].value, "perf_events");
  EXPECT_TRUE(copy->final);
  ASSERT_EQ(copy->task_columns.size(), 2u);
  EXPECT_EQ(copy->task_columns[1].name, "gcTimeNs");
  EXPECT_EQ(copy->task_columns[1].value, segment.task_columns[1].value);
  EXPECT_EQ(copy->threads[2].pid, 4711);
  ASSERT_EQ(copy->udfs.size(), 1u);
  EXPECT_EQ(copy->udfs[0].task, 12);
  EXPECT_EQ(copy->udfs[0].eval_type, 200);
  EXPECT_EQ(copy->udfs[0].name, "Model.score");
  EXPECT_EQ(copy->udfs[0].file, "/home/me/job.py");
  EXPECT_EQ(copy->udfs[0].line, 31);
  ASSERT_EQ(copy->python_tasks.size(), 1u);
  EXPECT_EQ(copy->python_tasks[0].start_ticks, 2000);
  EXPECT_EQ(copy->python_tasks[0].cpu_ns, 550'000'000);
  const LogRecords& logs = copy->logs;
  ASSERT_EQ(logs.Size(), 2u);
  EXPECT_EQ(logs.time_ns, segment.logs.time_ns);
  EXPECT_EQ(logs.level, segment.logs.level);
  EXPECT_EQ(copy->strings.Get(static_cast<StringId>(logs.executor[0])), "0");
  EXPECT_EQ(logs.executor[1], -1);
  EXPECT_EQ(logs.line, segment.logs.line);
  EXPECT_EQ(logs.Text(0), "Lost task 1\n\tat A.b");
  EXPECT_EQ(logs.Text(1), "done");
  EXPECT_EQ(logs.templates[logs.template_row[0]].text, "Lost task <*>");
  EXPECT_EQ(logs.templates[1].levels, segment.logs.templates[1].levels);
  EXPECT_EQ(logs.sources, segment.logs.sources);
  EXPECT_EQ(logs.dropped, 5);
}

TEST(SegmentCodecTest, ColumnsThatCameLaterMayBeMissing) {
  Segment segment = ExampleSegment();
  segment.threads[2].pid = 0;
  segment.samples[1].python = PythonState::kUnknown;  // then neither column is written
  const Result<Segment> copy = DecodeSegment(EncodeSegment(segment));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(copy->samples.size(), segment.samples.size());
  EXPECT_EQ(copy->threads.size(), segment.threads.size());
}

TEST(SegmentCodecTest, AMessageCutAnywhereIsAnErrorOrASmallerSegmentButNeverACrash) {
  const std::string message = EncodeSegment(ExampleSegment());
  for (size_t length = 0; length < message.size(); ++length) DecodeSegment(message.substr(0, length));
}

TEST(SegmentCodecTest, AMessageWithAnyByteChangedNeverCrashes) {
  const std::string message = EncodeSegment(ExampleSegment());
  for (size_t i = 0; i < message.size(); ++i) {
    for (const char flip : {'\x01', '\x80', '\xFF'}) {
      std::string damaged = message;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      DecodeSegment(damaged);
    }
  }
}

TEST(SegmentCodecTest, RefusesAFieldOfAnotherWireType) {
  const std::string source_as_number = "\x08\x01";
  EXPECT_FALSE(DecodeSegment(source_as_number));
}

TEST(SegmentCodecTest, RefusesAMessageThatEndsBeforeItsLastValue) {
  const std::string final_without_value = "\x78";
  EXPECT_FALSE(DecodeSegment(final_without_value));
}

TEST(SegmentCodecTest, RefusesIdsOutsideTheirTables) {
  Segment segment = ExampleSegment();
  segment.samples[0].stack = 999;
  const Result<Segment> decoded = DecodeSegment(EncodeSegment(segment));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message, "samples row 0: value out of range");
}

TEST(SegmentCodecTest, RefusesColumnsOfDifferentLengths) {
  Segment segment = ExampleSegment();
  segment.task_columns[1].value.push_back(1);
  const Result<Segment> decoded = DecodeSegment(EncodeSegment(segment));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message, "task_columns: columns of different lengths");
}

}  // namespace
}  // namespace sparkprof
