// SPDX-License-Identifier: Apache-2.0
#include "monitor/node_segment.h"

#include <utility>

#include "model/redaction/redaction.h"
#include "model/segment/block.h"

namespace sparkprof {

void NodeSegment::Append(std::string_view name, SeriesKind kind, CurveOwner owner, SeriesPoint point, Curve* curve) {
  if (curve->generation != generation_) {
    curve->generation = generation_;
    curve->row = static_cast<uint32_t>(segment_.series.size());
    segment_.series.push_back({std::string(name), owner.pid, owner.start_ticks, kind, {}});
    size_ += name.size() + 20;
  }
  segment_.series[curve->row].points.push_back(point);
  size_ += 13;
}

void NodeSegment::Put(std::string_view name, SeriesKind kind, CurveOwner owner, SeriesPoint point, Curve* curve) {
  if (curve->generation != 0 && curve->value == point.value) {
    curve->is_held = true;
    curve->time_ns = point.time_ns;
    return;
  }
  Finish(name, kind, owner, curve);
  Append(name, kind, owner, point, curve);
  curve->value = point.value;
  curve->time_ns = point.time_ns;
}

void NodeSegment::Finish(std::string_view name, SeriesKind kind, CurveOwner owner, Curve* curve) {
  if (curve->is_held) Append(name, kind, owner, {curve->time_ns, curve->value}, curve);
  curve->is_held = false;
}

void NodeSegment::AddProcess(const Process& process) {
  segment_.processes.push_back(process);
  size_ += process.command.size() + 120;
}

void NodeSegment::AddNotice(NoticeLevel level, std::string text) {
  size_ += text.size() + 16;
  segment_.notices.push_back({clock_().epoch_ns, level, std::move(text)});
}

void NodeSegment::AddSetting(std::string name, std::string value) {
  segment_.settings.push_back({std::move(name), std::move(value)});
}

void NodeSegment::SetLoss(const std::string& what, const std::string& reason, int64_t total) {
  LossTotal& loss = losses_[{what, reason}];
  const int64_t of_recording = total - loss.before;
  if (loss.written == of_recording) return;
  loss.written = of_recording;
  segment_.losses.push_back({what, reason, of_recording});
}

std::string NodeSegment::Take(bool last) {
  segment_.source = source_;
  ++source_.sequence;
  segment_.anchors.push_back(clock_());
  segment_.final = last;
  RedactSegment(&segment_);
  std::string block = EncodeBlock(segment_);
  segment_ = Segment();
  size_ = 0;
  ++generation_;
  return block;
}

void NodeSegment::Begin(Source source) {
  source_ = std::move(source);
  for (auto& [key, loss] : losses_) loss.before += std::exchange(loss.written, 0);
}

}  // namespace sparkprof
