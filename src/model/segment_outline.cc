// SPDX-License-Identifier: Apache-2.0
#include "model/segment_outline.h"

#include <string>

#include "base/redaction/redaction.h"
#include "model/message_reader.h"
#include "model/segment_parts.h"

namespace sparkprof {
namespace {

// Each row has one value of the packed column of events.
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

SegmentOutline ReadFields(MessageReader message) {
  SegmentOutline outline;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        outline.source = DecodeSource(message.get_message());
        break;
      case 2:
        outline.anchors.push_back(DecodeAnchor(message.get_message()));
        break;
      case 7:
        outline.sample_rows = CountSamples(message.get_message());
        break;
      case 9:
        outline.has_spark_events = true;
        message.skip();
        break;
      case 15:
        outline.final = message.get_bool();
        break;
      case 17:
        outline.has_task_columns = true;
        message.skip();
        break;
      default:
        message.skip();
    }
  }
  return outline;
}

}  // namespace

SegmentOutline OutlineOf(const Segment& segment) {
  return {segment.source,
          segment.anchors,
          segment.final,
          !segment.spark_events.empty(),
          !segment.task_columns.empty(),
          segment.samples.size()};
}

Result<SegmentOutline> DecodeOutline(std::string_view message) {
  try {
    SegmentOutline outline = ReadFields(MessageReader{message.data(), message.size()});
    if (outline.source.bucket_ns < 0) return Fail("source: negative bucket width");
    RedactInPlace(&outline.source.application_name);
    return outline;
  } catch (const protozero::exception& error) {
    return Fail(std::string("damaged segment message: ") + error.what());
  }
}

}  // namespace sparkprof
