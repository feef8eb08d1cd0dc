// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "model/redaction/redaction.h"
#include "model/segment/message_reader.h"
#include "model/segment/segment_codec.h"
#include "model/segment/segment_parts.h"

namespace sparkprof {
namespace {

// Each row has one value in the packed column of events.
size_t CountSamples(MessageReader samples) {
  constexpr int kEvents = 2;
  while (samples.next()) {
    if (samples.tag() == kEvents) {
      const auto values = samples.get_packed_uint64();
      return static_cast<size_t>(values.size());
    }
    samples.skip();
  }
  return 0;
}

Result<SegmentOutline> DecodeOutlineFields(MessageReader message) {
  SegmentOutline outline;
  Result<Source> source;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        source = DecodeSource(message.get_message());
        continue;
      case 2:
        outline.anchors.push_back(DecodeRow<ClockAnchor>(message.get_message()));
        continue;
      case 7:
        outline.sample_rows = CountSamples(message.get_message());
        continue;
      case 15:
        outline.final = message.get_bool();
        continue;
      case 9:
        outline.has_spark_events = true;
        break;
      case 17:
        outline.has_task_columns = true;
        break;
      default:
        break;
    }
    message.skip();
  }
  if (!source) return tl::unexpected(source.error());
  outline.source = std::move(*source);
  RedactSource(&outline.source);
  return outline;
}

}  // namespace

SegmentOutline OutlineOf(const Segment& segment) {
  return {segment.source,
          segment.anchors,
          segment.content,
          segment.final,
          !segment.spark_events.empty(),
          !segment.task_columns.empty(),
          segment.samples.size()};
}

Result<SegmentOutline> DecodeOutline(std::string_view message) {
  try {
    return DecodeOutlineFields(MessageReader{message.data(), message.size()});
  } catch (const protozero::exception& error) {
    return Fail(std::string("damaged segment message: ") + error.what());
  }
}

}  // namespace sparkprof
