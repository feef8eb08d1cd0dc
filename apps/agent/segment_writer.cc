// SPDX-License-Identifier: Apache-2.0
#include "segment_writer.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/saturate.h"
#include "base/time.h"
#include "model/redaction/redaction.h"
#include "model/segment/block.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxSegmentBytes = size_t{8} << 20;
constexpr size_t kRowBytes = 24;         // approximate size of a sample
constexpr size_t kLargestClasses = 200;  // per heap summary, which takes a few KiB

}  // namespace

void SegmentWriter::Grow(size_t bytes, bool urgent) {
  size_ += bytes;
  if (pending_since_ns_ == 0) pending_since_ns_ = MonotonicNanos();
  if (urgent && urgent_since_ns_ == 0) urgent_since_ns_ = MonotonicNanos();
  if (size_ >= kMaxSegmentBytes) Flush();
}

void SegmentWriter::AddTaskInterval(const TaskInterval& interval) {
  const auto open = open_rows_.find(interval.task);
  if (open != open_rows_.end()) {
    segment_.task_intervals[open->second] = interval;
    if (interval.end_ns != 0) open_rows_.erase(open);
    return;
  }
  if (interval.end_ns == 0) open_rows_[interval.task] = segment_.task_intervals.size();
  segment_.task_intervals.push_back(interval);
  Grow(60, true);
}

void SegmentWriter::AddSparkEvent(std::string_view event) {
  std::string redacted(event);
  const EventRedaction redaction = events_.Redact(&redacted);
  if (size_ > 0 && size_ + redacted.size() > kMaxSegmentBytes) Flush();
  const size_t size = redacted.size();
  segment_.spark_events.push_back(std::move(redacted));
  if (redaction.dropped_values > 0) segment_.spark_events.push_back(DroppedValuesEvent(redaction.dropped_values));
  Grow(size + 8, true);
}

void SegmentWriter::AddNotice(NoticeLevel level, std::string text) {
  const size_t size = text.size();
  segment_.notices.push_back({EpochNanos(), level, std::move(text)});
  Grow(size + 20, true);
}

void SegmentWriter::AddPoint(std::string_view series, SeriesKind kind, int64_t pid, int64_t start_ticks,
                             SeriesPoint point) {
  const auto [row, is_new] = series_rows_.try_emplace({std::string(series), pid}, segment_.series.size());
  if (is_new) segment_.series.push_back({std::string(series), pid, start_ticks, kind, {}});
  segment_.series[row->second].points.push_back(point);
  Grow(is_new ? series.size() + 40 : 13, false);
}

void SegmentWriter::AddProcess(const Process& process) {
  segment_.processes.push_back(process);
  Grow(process.command.size() + 60, false);
}

void SegmentWriter::AddSetting(std::string name, std::string value) {
  const size_t size = name.size() + value.size();
  segment_.settings.push_back({std::move(name), std::move(value)});
  Grow(size + 8, true);
}

void SegmentWriter::AddPythonTask(const PythonTask& task) {
  segment_.python_tasks.push_back(task);
  Grow(50, true);
}

void SegmentWriter::AddHeapSummary(int64_t time_ns, int64_t pause_ns, const ClassHistogram& histogram) {
  HeapSummary& summary = segment_.heap_summaries.emplace_back();
  summary.time_ns = time_ns;
  summary.pause_ns = pause_ns;
  size_t size = 40;
  for (const auto& [name, objects] : histogram.classes) {
    if (summary.classes.size() < kLargestClasses) {
      summary.classes.push_back({segment_.strings.Intern(name), objects});
      size += name.size() + 12;
      continue;
    }
    ++summary.other_classes;
    AddSaturated(objects.instances, &summary.others.instances);
    AddSaturated(objects.bytes, &summary.others.bytes);
  }
  Grow(size, true);
}

void SegmentWriter::AddUdf(const Udf& udf) {
  // A task has few functions, reported in succession.
  for (size_t i = segment_.udfs.size(); i-- > 0 && segment_.udfs[i].task == udf.task;) {
    const Udf& known = segment_.udfs[i];
    if (known.line == udf.line && known.eval_type == udf.eval_type && known.name == udf.name && known.file == udf.file)
      return;
  }
  segment_.udfs.push_back(udf);
  Grow(udf.name.size() + udf.file.size() + 20, true);
}

void SegmentWriter::SetLoss(const std::string& what, const std::string& reason, int64_t total) {
  if (total <= 0) return;
  int64_t& told = losses_[{what, reason}];
  if (told == total) return;
  told = total;
  const auto same = [&](const Loss& loss) { return loss.what == what && loss.reason == reason; };
  const auto pending = std::find_if(segment_.losses.begin(), segment_.losses.end(), same);
  if (pending != segment_.losses.end()) {
    pending->count = total;
    return;
  }
  segment_.losses.push_back({what, reason, total});
  Grow(what.size() + reason.size() + 16, true);
}

uint32_t SegmentWriter::ThreadPosition(const Thread& thread, const StringTable& strings) {
  const auto [row, is_new] =
      thread_rows_.try_emplace({thread.pid, thread.tid}, static_cast<uint32_t>(segment_.threads.size()));
  if (is_new) segment_.threads.push_back({thread.tid, segment_.strings.Intern(strings.Get(thread.name)), thread.pid});
  return row->second;
}

void SegmentWriter::AddSamples(SampleBatch&& batch) {
  std::vector<SegmentSample> rows = batch.samples.Rows();
  std::sort(rows.begin(), rows.end(), [](const SegmentSample& a, const SegmentSample& b) {
    return std::tie(a.bucket, a.event, a.thread, a.task) < std::tie(b.bucket, b.event, b.thread, b.task);
  });
  std::optional<StackCopier> copier(std::in_place, batch, &segment_);
  for (SegmentSample row : rows) {
    if (size_ >= kMaxSegmentBytes) {
      Flush();
      copier.emplace(batch, &segment_);
    }
    const size_t before = copier->EncodedBytes();
    row.stack = copier->Copy(row.stack);
    row.thread = ThreadPosition(batch.threads[row.thread], batch.strings);
    segment_.samples.push_back(row);
    size_ += kRowBytes + copier->EncodedBytes() - before;
  }
  if (!rows.empty()) Grow(0, true);
}

void SegmentWriter::Flush() {
  if (size_ > 0) Write(false);
}

void SegmentWriter::FlushLast(bool in_order) {
  segment_.final = in_order;
  Write(true);
}

void SegmentWriter::Write(bool last) {
  segment_.source = source_;
  ++source_.sequence;
  segment_.anchors.push_back(ReadClocks());
  RedactSegment(&segment_);
  const std::string block = EncodeBlock(segment_);
  segment_ = Segment();
  size_ = 0;
  urgent_since_ns_ = 0;
  pending_since_ns_ = 0;
  open_rows_.clear();
  series_rows_.clear();
  thread_rows_.clear();
  on_block_(block, last);
}

}  // namespace sparkprof
