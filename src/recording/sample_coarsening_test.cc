// SPDX-License-Identifier: Apache-2.0
#include "recording/sample_coarsening.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "base/time.h"
#include "model/testing/example_segment.h"

namespace sparkprof {
namespace {

constexpr int64_t kTenSeconds = 10 * kNanosPerSecond;

// A second segment of the JVM: the same stacks after others, and other buckets.
std::vector<Segment> TwoSegments() {
  std::vector<Segment> segments{ExampleSegment(), ExampleSegment()};
  Segment& second = segments.back();
  second.source.sequence = 1;
  StringTable strings;
  strings.Intern("moves the IDs of the others");
  std::vector<StringId> ids{0};
  for (StringId id = 1; id < second.strings.Size(); ++id) ids.push_back(strings.Intern(second.strings.Get(id)));
  FrameTable frames;
  for (FrameId id = 1; id < second.frames.Size(); ++id) {
    Frame frame = second.frames.Get(id);
    frame.name = ids[frame.name];
    frame.file = ids[frame.file];
    frames.Intern(frame);
  }
  for (Thread& thread : second.threads) thread.name = ids[thread.name];
  std::swap(second.threads[0], second.threads[1]);
  for (SegmentSample& sample : second.samples) {
    sample.thread = 1 - sample.thread;
    ++sample.bucket;
  }
  second.logs = {};
  second.task_columns.clear();
  second.strings = std::move(strings);
  second.frames = std::move(frames);
  return segments;
}

// Weight and count by thread, task, event and stack, as text.
using Sums = std::map<std::tuple<int64_t, int64_t, int, std::string>, std::pair<int64_t, int64_t>>;

Sums SumsOf(const std::vector<Segment>& segments) {
  Sums sums;
  for (const Segment& segment : segments) {
    for (const SegmentSample& sample : segment.samples) {
      std::string stack;
      std::vector<FrameId> frames;
      segment.stacks.Unwind(sample.stack, &frames);
      for (const FrameId frame : frames)
        stack += std::string(segment.strings.Get(segment.frames.Get(frame).name)) + ";";
      auto& [weight, count] =
          sums[{segment.threads[sample.thread].tid, sample.task, static_cast<int>(sample.event), stack}];
      weight += sample.weight;
      count += sample.count;
    }
  }
  return sums;
}

TEST(SampleCoarseningTest, SumsStayAndRowsBecomeFewer) {
  std::vector<Segment> segments = TwoSegments();
  const Sums before = SumsOf(segments);
  CoarsenSamples(kTenSeconds, &segments);
  EXPECT_EQ(SumsOf(segments), before);
  ASSERT_EQ(segments[0].samples.size(), 2u);
  EXPECT_TRUE(segments[1].samples.empty());
  EXPECT_EQ(segments[0].samples[0].bucket, 170'000'000);
  EXPECT_EQ(segments[0].samples[0].count, 4);
  for (const Segment& segment : segments) EXPECT_EQ(segment.source.bucket_ns, kTenSeconds);
}

TEST(SampleCoarseningTest, EverythingButSamplesStaysInItsSegment) {
  std::vector<Segment> segments = TwoSegments();
  CoarsenSamples(kTenSeconds, &segments);
  EXPECT_EQ(segments[0].logs.executor, ExampleSegment().logs.executor);
  EXPECT_EQ(segments[0].strings.Get(static_cast<StringId>(segments[0].logs.executor[0])), "0");
  EXPECT_EQ(segments[1].source.sequence, 1u);
  EXPECT_EQ(segments[1].task_intervals.size(), 1u);
  EXPECT_EQ(segments[1].series.size(), 1u);
}

TEST(SampleCoarseningTest, ClassesOfHeapSummariesKeepTheirNames) {
  std::vector<Segment> segments(2);
  for (Segment& segment : segments) {
    segment.source.bucket_ns = kNanosPerSecond;
    HeapSummary& summary = segment.heap_summaries.emplace_back();
    summary.classes.emplace_back().name = segment.strings.Intern("byte[]");
  }
  CoarsenSamples(10 * kNanosPerSecond, &segments);
  for (const Segment& segment : segments) {
    EXPECT_EQ(segment.strings.Get(segment.heap_summaries.front().classes.front().name), "byte[]");
  }
}

TEST(SampleCoarseningTest, BucketsBeforeTheEpochAreRoundedDown) {
  std::vector<Segment> segments{ExampleSegment()};
  segments[0].samples[0].bucket = -1;
  CoarsenSamples(kTenSeconds, &segments);
  EXPECT_EQ(segments[0].samples[0].bucket, -1);
}

TEST(SampleCoarseningTest, WiderBucketsStayAsTheyAre) {
  std::vector<Segment> segments{ExampleSegment()};
  CoarsenSamples(kTenSeconds, &segments);
  CoarsenSamples(kNanosPerSecond, &segments);
  EXPECT_EQ(segments[0].source.bucket_ns, kTenSeconds);
}

TEST(SampleCoarseningTest, SamplesOfAnotherExecutorOrWidthHaveAnotherOwner) {
  const Source source = ExampleSegment().source;
  Source executor = source, width = source, later = source;
  executor.executor_id = "7";
  width.bucket_ns = kTenSeconds;
  later.sequence = 9;
  EXPECT_NE(SamplesOwner(source), SamplesOwner(executor));
  EXPECT_NE(SamplesOwner(source), SamplesOwner(width));
  EXPECT_EQ(SamplesOwner(source), SamplesOwner(later));
}

}  // namespace
}  // namespace sparkprof
