// SPDX-License-Identifier: Apache-2.0
#include "model/segment/segment_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <utility>
#include <vector>

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
  ASSERT_EQ(copy->heap_summaries.size(), 1u);
  const HeapSummary& heap = copy->heap_summaries[0];
  EXPECT_EQ(heap.time_ns, 1'700'000'000'500'000'000);
  EXPECT_EQ(heap.pause_ns, 40'000'000);
  ASSERT_EQ(heap.classes.size(), 2u);
  EXPECT_EQ(copy->strings.Get(heap.classes[1].name), "java.lang.String");
  EXPECT_EQ(heap.classes[1].objects.instances, 800);
  EXPECT_EQ(heap.classes[1].objects.bytes, 19'200);
  EXPECT_EQ(heap.other_classes, 3);
  EXPECT_EQ(heap.Total().instances, 1712);
  EXPECT_EQ(heap.Total().bytes, 89'680);
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

TEST(SegmentCodecTest, EveryFieldOfTheSmallTablesIsKept) {
  Segment segment = ExampleSegment();
  segment.source.sequence = 9;
  segment.udfs[0].line = 33;
  const Result<Segment> copy = DecodeSegment(EncodeSegment(segment));
  ASSERT_TRUE(copy) << copy.error().message;
  const Source& source = copy->source;
  EXPECT_EQ(source.application_attempt, "1");
  EXPECT_EQ(source.application_name, "example");
  EXPECT_EQ(source.executor_id, "0");
  EXPECT_EQ(source.host, "host-a");
  EXPECT_EQ(source.boot_id, "boot");
  EXPECT_EQ(source.pid, 42);
  EXPECT_EQ(source.start_ticks, 1000);
  EXPECT_EQ(source.spark_version, "4.1.1");
  EXPECT_EQ(source.java_version, "17");
  EXPECT_EQ(source.sparkprof_version, "0.1.0");
  EXPECT_EQ(source.bucket_ns, 1'000'000'000);
  EXPECT_EQ(source.sequence, 9u);
  EXPECT_EQ(source.role, "executor");
  EXPECT_EQ(copy->anchors[0].monotonic_ns, 5'000'000'000);
  const TaskInterval& task = copy->task_intervals.at(0);
  EXPECT_EQ(task.task, 12);
  EXPECT_EQ(task.stage, 3);
  EXPECT_EQ(task.stage_attempt, 0);
  EXPECT_EQ(task.partition, 5);
  EXPECT_EQ(task.attempt, 0);
  EXPECT_EQ(task.tid, 77);
  EXPECT_EQ(task.sql_execution, 1);
  EXPECT_EQ(task.begin_ns, 1'700'000'000'100'000'000);
  const Series& series = copy->series.at(0);
  EXPECT_EQ(series.name, "jvm.heap_used_bytes");
  EXPECT_EQ(series.pid, 42);
  EXPECT_EQ(series.start_ticks, 1000);
  EXPECT_EQ(series.kind, SeriesKind::kGauge);
  EXPECT_EQ(series.points.at(0).time_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(series.points.at(1).time_ns, 1'700'000'001'000'000'000);
  const Process& process = copy->processes.at(0);
  EXPECT_EQ(process.pid, 42);
  EXPECT_EQ(process.start_ticks, 1000);
  EXPECT_EQ(process.parent_pid, 1);
  EXPECT_EQ(process.command, "java");
  EXPECT_EQ(process.first_seen_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(process.last_seen_ns, 1'700'000'001'000'000'000);
  EXPECT_EQ(copy->losses.at(0).what, "cpu_samples");
  EXPECT_EQ(copy->losses[0].reason, "buffer busy");
  EXPECT_EQ(copy->notices.at(0).time_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(copy->notices[0].text, "kernel frames are not visible");
  EXPECT_EQ(copy->settings.at(0).name, "cpu.engine");
  EXPECT_EQ(copy->udfs.at(0).line, 33);
  const PythonTask& python = copy->python_tasks.at(0);
  EXPECT_EQ(python.task, 12);
  EXPECT_EQ(python.pid, 4711);
  EXPECT_EQ(python.begin_ns, 1'700'000'000'200'000'000);
  EXPECT_EQ(python.end_ns, 1'700'000'000'800'000'000);
  const Neighbor& neighbor = copy->neighbors.at(0);
  EXPECT_EQ(neighbor.executor_ids, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(neighbor.application_id, "application_1_0042");
  EXPECT_EQ(neighbor.host_cores, 4);
  EXPECT_EQ(neighbor.cpu_ns, (std::vector<double>{3.1e9, 0}));
  EXPECT_EQ(neighbor.disk_bytes, (std::vector<double>{0, 4096}));
  EXPECT_EQ(copy->threads.at(0).tid, 77);
  EXPECT_EQ(copy->strings.Get(copy->threads[1].name), "main");
  EXPECT_EQ(EncodeSegment(*copy), EncodeSegment(segment));
}

TEST(SegmentCodecTest, WhatIsNotThereIsNotWritten) {
  Segment segment = ExampleSegment();
  segment.final = false;
  segment.logs = {};
  const Result<Segment> copy = DecodeSegment(EncodeSegment(segment));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_FALSE(copy->final);
  EXPECT_EQ(copy->logs.Size(), 0u);
  EXPECT_LT(EncodeSegment(segment).size() + 100, EncodeSegment(ExampleSegment()).size());
  segment.logs.dropped = 7;
  EXPECT_EQ(DecodeSegment(EncodeSegment(segment))->logs.dropped, 7);
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

// DecodeSegment's error about the example after `change`.
std::string ErrorAfter(const std::function<void(Segment*)>& change) {
  Segment segment = ExampleSegment();
  change(&segment);
  const Result<Segment> decoded = DecodeSegment(EncodeSegment(segment));
  return decoded ? "" : decoded.error().message;
}

TEST(SegmentCodecTest, ErrorsNameTableRowColumnValueAndWhatWasExpected) {
  const struct {
    std::function<void(Segment*)> change;
    const char* error;
  } cases[] = {
      {[](Segment* s) {
         s->frames.Intern({99, 0, 0, FrameKind::kJit});
       },
       "frames row 4: name is 99, expected 0 to 9"},
      {[](Segment* s) {
         s->frames.Intern({1, 99, 0, FrameKind::kJit});
       },
       "frames row 4: file is 99, expected 0 to 9"},
      {[](Segment* s) {
         s->frames.Intern({1, 0, 0, FrameKind(8)});
       },
       "frames row 4: kind is 8, expected 0 to 7"},
      {[](Segment* s) { s->stacks.Push(0, 0); }, "stacks row 4: frame is 0, expected 1 to 3"},
      {[](Segment* s) { s->stacks.Push(0, 4); }, "stacks row 4: frame is 4, expected 1 to 3"},
      {[](Segment* s) { s->stacks.Push(4, 1); }, "stacks row 4: parent is 4, expected 0 to 3"},
      {[](Segment* s) { s->stacks.Push(5, 1); }, "stacks row 4: parent is 5, expected 0 to 3"},
      {[](Segment* s) { s->threads[1].name = 10; }, "threads row 1: name is 10, expected 0 to 9"},
      {[](Segment* s) { s->threads[2].pid = -1; }, "threads row 2: pid is -1, expected 0 or more"},
      {[](Segment* s) { s->samples[0].stack = 999; }, "samples row 0: stack is 999, expected 0 to 3"},
      {[](Segment* s) { s->samples[1].thread = 3; }, "samples row 1: thread is 3, expected 0 to 2"},
      {[](Segment* s) { s->threads.clear(); }, "samples row 0: thread is 0, expected none: that table is empty"},
      {[](Segment* s) { s->samples[1].event = Event(0); }, "samples row 1: event is 0, expected 1 to 12"},
      {[](Segment* s) { s->samples[1].task = -2; }, "samples row 1: task is -2, expected -1 or more"},
      {[](Segment* s) { s->samples[1].weight = -5; }, "samples row 1: weight is -5, expected 0 or more"},
      {[](Segment* s) { s->samples[1].count = -5; }, "samples row 1: count is -5, expected 0 or more"},
      {[](Segment* s) { s->samples[0].bucket = INT64_MAX; },
       "samples row 0: bucket is 9223372036854775807, expected -9223285637 to 9223285636"},
      {[](Segment* s) { s->source.bucket_ns = -1; }, "source row 0: bucket_ns is -1, expected 0 to 86400000000000"},
      {[](Segment* s) { s->task_intervals[0].status = TaskStatus(4); },
       "task_intervals row 0: status is 4, expected 0 to 3"},
      {[](Segment* s) { s->series[0].points[1].value = INFINITY; },
       "series row 1: value is inf, expected a finite number"},
      {[](Segment* s) { s->losses[0].count = -1; }, "losses row 0: count is -1, expected 0 or more"},
      {[](Segment* s) { s->python_tasks[0].cpu_ns = -1; }, "python_tasks row 0: cpu_ns is -1, expected 0 or more"},
      {[](Segment* s) { s->heap_summaries[0].classes[1].name = 10; },
       "heap_summaries row 1: name is 10, expected 0 to 9"},
      {[](Segment* s) { s->heap_summaries[0].classes[0].objects.bytes = -1; },
       "heap_summaries row 0: bytes is -1, expected 0 or more"},
      {[](Segment* s) { s->heap_summaries[0].other_classes = -1; }, "heap_summaries: negative value"},
      {[](Segment* s) { s->neighbors[0].processes = -1; }, "neighbors: negative number of processes"},
      {[](Segment* s) { s->logs.executor[1] = 10; }, "logs row 1: executor is 10, expected 0 to 9"},
      {[](Segment* s) { s->logs.source[1] = 1; }, "logs row 1: source is 1, expected 0"},
      {[](Segment* s) { s->logs.template_row[0] = 2; }, "logs row 0: template is 2, expected 0 to 1"},
      {[](Segment* s) { s->logs.level[0] = LogLevel(7); }, "logs row 0: level is 7, expected 0 to 6"},
      {[](Segment* s) { s->logs.templates[0].text = "x"; },
       "log templates row 0: text is not empty, expected the row of unknown templates"},
      {[](Segment* s) { s->logs.templates[1].levels[3] = -1; }, "log templates row 1: count is -1, expected 0 or more"},
      {[](Segment* s) { s->logs.dropped = -1; }, "logs row 0: dropped is -1, expected 0 or more"},
      {[](Segment* s) { s->logs.text += "x"; }, "logs: sizes do not match the text"},
      {[](Segment* s) { s->logs.line.pop_back(); }, "logs: columns of different lengths"},
      {[](Segment* s) {
         s->task_columns.push_back({"reason", {9, 10}});
       },
       "task_columns row 1: reason is 10, expected 0 to 9"},
      {[](Segment* s) {
         s->task_columns.push_back({"executor", {-1, 0}});
       },
       "task_columns row 0: executor is -1, expected 0 to 9"},
      {[](Segment* s) {
         s->task_columns.push_back({"id", {1, 2}});
       },
       "task_columns: repeated column id"},
      {[](Segment* s) { s->task_columns[1].value.push_back(1); }, "task_columns: columns of different lengths"},
  };
  for (const auto& [change, error] : cases) EXPECT_EQ(ErrorAfter(change), error);
}

// A segment of `tables` by their fields' numbers, each of columns by theirs.
std::string WithTables(const std::map<uint32_t, std::vector<std::pair<uint32_t, std::vector<uint64_t>>>>& tables) {
  std::string message;
  for (const auto& [field, columns] : tables) {
    std::string table;
    for (const auto& [column, values] : columns)
      protozero::pbf_writer(table).add_packed_uint64(column, values.begin(), values.end());
    protozero::pbf_writer(message).add_message(field, table);
  }
  return message;
}

TEST(SegmentCodecTest, ReservedRowsAreZero) {
  constexpr uint32_t kFrames = 4, kStacks = 5;
  EXPECT_EQ(DecodeSegment(WithTables({{kFrames, {{1, {1}}, {2, {0}}, {3, {0}}, {4, {0}}}}})).error().message,
            "frames row 0: kind is 1, expected 0");
  EXPECT_EQ(DecodeSegment(WithTables({{kStacks, {{1, {3, 0}}, {2, {0, 0}}}}})).error().message,
            "stacks row 0: parent is 3, expected 0");
}

TEST(SegmentCodecTest, EachColumnIsThereOnceAndAsLongAsTheOthers) {
  constexpr uint32_t kThreads = 6, kStacks = 5;
  EXPECT_EQ(DecodeSegment(WithTables({{kThreads, {{1, {7}}, {1, {8}}}}})).error().message,
            "threads: repeated column tid");
  EXPECT_EQ(DecodeSegment(WithTables({{kThreads, {{1, {7}}}}})).error().message, "threads: missing column");
  EXPECT_EQ(DecodeSegment(WithTables({{kStacks, {{1, {0, 0}}, {2, {0}}}}})).error().message,
            "stacks: columns of different lengths: frame has 1 of 2 rows");
}

TEST(SegmentCodecTest, RefusesASecondTableOfAKind) {
  // Samples that refer to threads of the first table would be beyond the end of the second.
  Segment fewer;
  fewer.strings.Intern("a");
  fewer.threads = {{1, 1}};
  const std::string message = EncodeSegment(ExampleSegment()) + EncodeSegment(fewer);
  const Result<Segment> decoded = DecodeSegment(message);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message, "field 3: repeated table");
}

TEST(SegmentCodecTest, DecodedTablesGoOnInterning) {
  Result<Segment> decoded = DecodeSegment(EncodeSegment(ExampleSegment()));
  ASSERT_TRUE(decoded) << decoded.error().message;
  const size_t strings = decoded->strings.Size(), frames = decoded->frames.Size(), stacks = decoded->stacks.Size();
  const Segment example = ExampleSegment();
  for (StringId id = 0; id < strings; ++id) EXPECT_EQ(decoded->strings.Intern(example.strings.Get(id)), id);
  for (FrameId id = 1; id < frames; ++id) EXPECT_EQ(decoded->frames.Intern(example.frames.Get(id)), id);
  for (StackId id = 1; id < stacks; ++id) {
    EXPECT_EQ(decoded->stacks.Push(example.stacks.Get(id).parent, example.stacks.Get(id).frame), id);
  }
  EXPECT_EQ(decoded->strings.Intern("new"), strings);
  EXPECT_EQ(decoded->frames.Intern({static_cast<StringId>(strings), 0, 0, FrameKind::kJit}), frames);
  EXPECT_EQ(decoded->stacks.Push(0, static_cast<FrameId>(frames)), stacks);
}

TEST(SegmentCodecTest, ACopyOfATableWithRepeatedRowsHasTheSameIds) {
  StringTable strings;
  for (const char* text : {"a", "a", "b"}) strings.Append(text);
  StringTable copy = strings;
  ASSERT_EQ(copy.Size(), 4u);
  EXPECT_EQ(copy.Get(3), "b");
  EXPECT_EQ(copy.Intern("a"), 1u);
  EXPECT_EQ(copy.Intern("c"), 4u);
}

}  // namespace
}  // namespace sparkprof
