// SPDX-License-Identifier: Apache-2.0
#include "segment_writer.h"

#include <gtest/gtest.h>

#include "model/segment/block.h"
#include "model/segment/segment_codec.h"

namespace sparkprof {
namespace {

class SegmentWriterTest : public ::testing::Test {
 protected:
  SegmentWriterTest() : writer_([this](const std::string& block, bool) { bytes_ += block; }) {}

  std::vector<Segment> Segments() {
    std::vector<Segment> segments;
    EXPECT_TRUE(ReadBlocks(bytes_, "blocks", [&](Segment&& segment) { segments.push_back(std::move(segment)); }));
    return segments;
  }

  std::string bytes_;
  SegmentWriter writer_;
};

TEST_F(SegmentWriterTest, WritesNothingWhileNothingIsPending) {
  writer_.Flush();
  EXPECT_TRUE(bytes_.empty());
  EXPECT_EQ(writer_.UrgentSince(), 0);
  writer_.AddPoint("a", SeriesKind::kGauge, 1, 2, {3, 4});
  EXPECT_EQ(writer_.UrgentSince(), 0);
  EXPECT_NE(writer_.PendingSince(), 0);
  writer_.AddSparkEvent("{}");
  EXPECT_NE(writer_.UrgentSince(), 0);
}

TEST_F(SegmentWriterTest, EachSegmentHasItsSourceItsNumberAndAnAnchor) {
  writer_.source().application_id = "app-1";
  for (int i = 0; i < 3; ++i) {
    writer_.AddSparkEvent("{}");
    writer_.Flush();
  }
  const auto segments = Segments();
  ASSERT_EQ(segments.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(segments[i].source.application_id, "app-1");
    EXPECT_EQ(segments[i].source.sequence, i);
    EXPECT_FALSE(segments[i].anchors.empty());
  }
}

TEST_F(SegmentWriterTest, BeginAndEndOfATaskInOneSegmentAreOneRow) {
  TaskInterval interval{.task = 5, .tid = 77, .begin_ns = 10};
  writer_.AddTaskInterval(interval);
  interval.end_ns = 20;
  writer_.AddTaskInterval(interval);
  writer_.Flush();
  writer_.AddTaskInterval(interval);
  writer_.Flush();
  const auto segments = Segments();
  ASSERT_EQ(segments[0].task_intervals.size(), 1u);
  EXPECT_EQ(segments[0].task_intervals[0].end_ns, 20);
  EXPECT_EQ(segments[1].task_intervals.size(), 1u);
}

TEST_F(SegmentWriterTest, AHeapSummaryHasTheLargestClassesAndTheSumOfTheOthers) {
  ClassHistogram histogram;
  for (int i = 1000; i > 0; --i) histogram.classes.push_back({"Class" + std::to_string(i), {1, i}});
  writer_.AddHeapSummary(5, 6, histogram);
  writer_.Flush();
  const auto segments = Segments();
  ASSERT_EQ(segments.at(0).heap_summaries.size(), 1u);
  const HeapSummary& summary = segments[0].heap_summaries[0];
  EXPECT_EQ(summary.time_ns, 5);
  EXPECT_EQ(summary.pause_ns, 6);
  ASSERT_EQ(summary.classes.size(), 200u);
  EXPECT_EQ(segments[0].strings.Get(summary.classes[0].name), "Class1000");
  EXPECT_EQ(summary.other_classes, 800);
  EXPECT_EQ(summary.others.instances, 800);
  EXPECT_EQ(summary.Total().bytes, 1000 * 1001 / 2);
}

TEST_F(SegmentWriterTest, LossesAreToldWhenTheyChange) {
  writer_.SetLoss("samples", "busy", 0);
  writer_.Flush();
  EXPECT_TRUE(bytes_.empty());
  for (const int64_t total : {1, 2, 2, 5}) {
    writer_.SetLoss("samples", "busy", total);
    if (total == 2) writer_.Flush();
  }
  writer_.Flush();
  const auto segments = Segments();
  ASSERT_EQ(segments.size(), 2u);
  ASSERT_EQ(segments[0].losses.size(), 1u);
  EXPECT_EQ(segments[0].losses[0].count, 2);
  EXPECT_EQ(segments[1].losses[0].count, 5);
}

TEST_F(SegmentWriterTest, ManySamplesAreSplitIntoSegmentsThatStandAlone) {
  SampleBatch batch;
  batch.threads = {{77, batch.strings.Intern("worker")}, {78, batch.strings.Intern("main")}};
  constexpr int kStacks = 60'000;
  for (int i = 0; i < kStacks; ++i) {
    StackId stack = batch.stacks.Push(0, batch.frames.Intern({batch.strings.Intern("root"), 0, 0, FrameKind::kJit}));
    const std::string name = "com.example.generated.AnExpressionWithARatherLongNameOfItsOwn" + std::to_string(i);
    for (const char* method : {".open", ".next", ".close"}) {
      stack =
          batch.stacks.Push(stack, batch.frames.Intern({batch.strings.Intern(name + method), 0, 1, FrameKind::kJit}));
    }
    batch.samples.Add({i % 10, Event::kCpu, Category::kTask, ThreadState::kRunning, PythonState::kUnknown,
                       static_cast<uint32_t>(i % 2), i, stack, 10, 1});
  }
  writer_.AddSamples(std::move(batch));
  writer_.Flush();
  const auto segments = Segments();
  EXPECT_GT(segments.size(), 1u);
  size_t samples = 0;
  for (const Segment& segment : segments) {
    EXPECT_LT(EncodeSegment(segment).size(), size_t{9} << 20);
    samples += segment.samples.size();
    for (const SegmentSample& sample : segment.samples) {
      std::vector<FrameId> frames;
      segment.stacks.Unwind(sample.stack, &frames);
      ASSERT_EQ(frames.size(), 4u);
      ASSERT_EQ(
          segment.strings.Get(segment.frames.Get(frames[3]).name),
          "com.example.generated.AnExpressionWithARatherLongNameOfItsOwn" + std::to_string(sample.task) + ".close");
      ASSERT_EQ(segment.threads[sample.thread].tid, 77 + sample.task % 2);
    }
  }
  EXPECT_EQ(samples, static_cast<size_t>(kStacks));
}

TEST_F(SegmentWriterTest, TheLastSegmentSaysWhetherItsSourceEndedInOrder) {
  writer_.FlushLast(true);
  writer_.FlushLast(false);
  const auto segments = Segments();
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_TRUE(segments[0].final);
  EXPECT_FALSE(segments[1].final);
}

}  // namespace
}  // namespace sparkprof
