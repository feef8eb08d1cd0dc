// SPDX-License-Identifier: Apache-2.0
#include "monitor/node_segment.h"

#include <gtest/gtest.h>

#include "model/segment/block.h"

namespace sparkprof {
namespace {

std::vector<SeriesPoint> PointsOf(const std::string& blocks) {
  std::vector<SeriesPoint> points;
  EXPECT_TRUE(ReadBlocks(blocks, "blocks", [&](Segment&& segment) {
    for (const Series& series : segment.series) {
      points.insert(points.end(), series.points.begin(), series.points.end());
    }
  }));
  return points;
}

TEST(NodeSegmentTest, EqualValuesAreWrittenAtTheirBeginningAndTheirEndOnly) {
  NodeSegment segment(Source{});
  Curve curve;
  const auto put = [&](int64_t time_ns, double value) {
    segment.Put("x", SeriesKind::kGauge, {1, 2}, {time_ns, value}, &curve);
  };
  put(1, 7);
  put(2, 7);
  std::string blocks = segment.Take(false);
  put(3, 7);
  put(4, 7);
  put(5, 8);
  put(6, 8);
  segment.Finish("x", SeriesKind::kGauge, {1, 2}, &curve);
  blocks += segment.Take(true);
  std::vector<std::pair<int64_t, double>> points;
  for (const SeriesPoint& point : PointsOf(blocks)) points.emplace_back(point.time_ns, point.value);
  const std::vector<std::pair<int64_t, double>> expected = {{1, 7}, {4, 7}, {5, 8}, {6, 8}};
  EXPECT_EQ(points, expected);
}

TEST(NodeSegmentTest, ALossIsWrittenWhenItChanges) {
  NodeSegment segment(Source{});
  segment.SetLoss("a", "b", 0);
  segment.SetLoss("a", "b", 3);
  segment.SetLoss("a", "b", 3);
  size_t losses = 0;
  ASSERT_TRUE(ReadBlocks(segment.Take(true), "block", [&](Segment&& read) { losses = read.losses.size(); }));
  EXPECT_EQ(losses, 1u);
}

TEST(NodeSegmentTest, ALossCountsInTheRecordingInWhichItHappened) {
  NodeSegment segment(Source{});
  std::vector<int64_t> counts;
  const auto take = [&] {
    ASSERT_TRUE(ReadBlocks(segment.Take(true), "block", [&](Segment&& read) {
      for (const Loss& loss : read.losses) counts.push_back(loss.count);
    }));
  };
  segment.SetLoss("a", "b", 3);
  take();
  segment.Begin(Source{});
  segment.SetLoss("a", "b", 3);
  take();
  segment.SetLoss("a", "b", 5);
  take();
  EXPECT_EQ(counts, (std::vector<int64_t>{3, 2}));
}

}  // namespace
}  // namespace sparkprof
