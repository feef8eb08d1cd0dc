// SPDX-License-Identifier: Apache-2.0
#include "recording/recorded_segment.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(RecordedSegmentTest, ABlockThatChangedAfterItsHeadWasReadIsALoss) {
  SegmentOutline outline;
  outline.source.host = "node-1";
  outline.source.sequence = 7;
  const RecordedSegment recorded(std::move(outline), nullptr, "no block");
  const std::shared_ptr<const Segment> contents = recorded.Contents();
  EXPECT_EQ(contents->source.host, "node-1");
  EXPECT_EQ(contents->source.sequence, 7u);
  ASSERT_EQ(contents->losses.size(), 1u);
  EXPECT_EQ(contents->losses[0].what, "blocks");
  EXPECT_EQ(contents->losses[0].count, 1);
}

}  // namespace
}  // namespace sparkprof
