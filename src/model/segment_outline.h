// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/segment.h"

namespace sparkprof {

// The part of a segment that assigns it to its process and application.
struct SegmentOutline {
  Source source;
  std::vector<ClockAnchor> anchors;
  uint64_t content = 0;
  bool final = false;
  bool has_spark_events = false;
  bool has_task_columns = false;
  size_t sample_rows = 0;
};

SegmentOutline OutlineOf(const Segment& segment);

// The outline of an encoded segment (segment_codec.h), with its texts redacted. Tables and events are passed over:
// damage in them is found only by DecodeSegment.
Result<SegmentOutline> DecodeOutline(std::string_view message);

}  // namespace sparkprof
