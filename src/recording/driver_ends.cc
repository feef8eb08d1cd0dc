// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "base/io/file.h"
#include "model/driver_end.h"
#include "model/redaction/redaction.h"
#include "model/segment/block.h"
#include "recording/recordings.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

struct DriverEnd {
  Source last;  // source of its latest segment
  int64_t last_ns = 0;
  bool is_final = false;
};

// Ends by process. If a JVM ran several applications, the program stopped all but the last one.
using DriverEnds = std::map<std::string, DriverEnd>;

void Take(const SegmentOutline& outline, DriverEnds* ends) {
  const Source& source = outline.source;
  if (source.role != "driver" && source.role != "local") return;
  const int64_t time_ns = outline.anchors.empty() ? 0 : outline.anchors.back().epoch_ns;
  DriverEnd& end = (*ends)[ProcessOf(source)];
  if (time_ns < end.last_ns) return;
  end = {source, time_ns, outline.final};
}

std::string BlockOf(const DriverEnd& end, const std::string& reason) {
  Segment segment;
  segment.source = end.last;
  ++segment.source.sequence;
  std::string text(kDriverEndNotice);
  if (!reason.empty()) text += ": " + reason;
  segment.notices.push_back({end.last_ns, NoticeLevel::kWarning, std::move(text)});
  RedactSegment(&segment);
  return EncodeBlock(segment);
}

}  // namespace

std::string EndsOfDrivers(const std::vector<std::string>& paths,
                          const std::function<std::string(const std::string& application)>& reason_of) {
  DriverEnds ends;
  for (const std::string& path : paths) {
    const Result<MappedFile> file = MappedFile::Open(path);
    if (!file) continue;
    (void)ReadOutlines(
        file->Bytes(), path,
        [&](SegmentOutline&& outline, std::string_view /*block*/) {
          Take(outline, &ends);
          return true;
        },
        [&](Segment&& segment) { Take(OutlineOf(segment), &ends); });
  }
  std::string blocks;
  for (const auto& [process, end] : ends) {
    if (!end.is_final) blocks += BlockOf(end, reason_of(end.last.application_id));
  }
  return blocks;
}

}  // namespace sparkprof
