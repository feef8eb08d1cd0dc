// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/segment/segment.h"

namespace sparkprof {

// Encodes the segment as the protobuf message of proto/sparkprof/v1/segment.proto.
std::string EncodeSegment(const Segment& segment);

// Validates everything: columns of different lengths, IDs outside of their tables and cycles in the stack tree are
// errors that name the table and the row.
Result<Segment> DecodeSegment(std::string_view message);

// The part of a segment that identifies its process and application.
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

// Decodes and redacts the outline of an encoded segment. Skips tables and events, whose damage only
// DecodeSegment detects.
Result<SegmentOutline> DecodeOutline(std::string_view message);

}  // namespace sparkprof
