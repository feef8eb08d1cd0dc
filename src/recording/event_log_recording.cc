// SPDX-License-Identifier: Apache-2.0
#include "recording/event_log_recording.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/io/file.h"
#include "base/io/line_reader.h"
#include "model/redaction/event_redaction.h"
#include "model/redaction/redaction.h"
#include "model/segment/block.h"

namespace sparkprof {
namespace {

constexpr std::string_view kEventLogRole = "event-log";
constexpr int64_t kBytesOfBlock = int64_t{4} << 20;  // size of the lines

Segment EmptySegment(const EventLogUpload& upload, uint64_t sequence, int64_t begin) {
  Segment segment;
  Source& source = segment.source;
  source.application_id = upload.application_id;
  source.application_attempt = upload.attempt;
  source.application_name = upload.name;
  source.spark_version = upload.spark_version;
  source.role = source.host = kEventLogRole;
  // The attempt identifies the source; there is no process.
  source.boot_id = upload.application_id + "/" + upload.attempt;
  source.sequence = sequence;
  // Its position in the log distinguishes a longer version of a block.
  segment.anchors = {{begin, 0}, {begin, 0}};
  return segment;
}

int64_t EndOf(const Segment& segment) { return segment.anchors.empty() ? 0 : segment.anchors.back().monotonic_ns; }

}  // namespace

bool IsEventLogSource(const Source& source) { return source.role == kEventLogRole; }

Result<void> WriteEventLogRecording(std::unique_ptr<ByteSource> log, const EventLogUpload& upload,
                                    const std::function<void(std::string_view block)>& sink) {
  LineReader reader(std::move(log));
  uint64_t sequence = 0;
  int64_t at = 0;
  int64_t dropped_values = 0;
  EventRedactor redactor;
  const auto end_block = [&](Segment* segment) {
    if (dropped_values > 0) segment->spark_events.push_back(DroppedValuesEvent(std::exchange(dropped_values, 0)));
    segment->anchors.back().monotonic_ns = at;
    RedactSegment(segment);
    sink(EncodeBlock(*segment));
  };
  Segment segment = EmptySegment(upload, sequence, at);
  for (std::string_view lines = reader.Next(); !lines.empty(); lines = reader.Next()) {
    while (!lines.empty()) {
      const size_t size = std::min(lines.find('\n'), lines.size());
      if (size > 0) {
        std::string& event = segment.spark_events.emplace_back(lines.substr(0, size));
        dropped_values += redactor.Redact(&event).dropped_values;
      }
      const size_t taken = std::min(size + 1, lines.size());
      lines.remove_prefix(taken);
      at += static_cast<int64_t>(taken);
      if (at - segment.anchors.front().monotonic_ns < kBytesOfBlock) continue;
      end_block(&segment);
      segment = EmptySegment(upload, ++sequence, at);
    }
  }
  segment.final = true;
  end_block(&segment);
  return reader.SourceError() ? tl::unexpected(*reader.SourceError()) : Result<void>();
}

Result<RecordedEventLog> RecordedEventLog::Read(const std::vector<std::string>& paths, const std::string& attempt) {
  Blocks blocks;
  for (const std::string& path : paths) {
    const Result<MappedFile> file = MappedFile::Open(path);
    if (!file) return tl::unexpected(file.error());
    const Result<RecordingStatus> status = ReadBlocksInPlace(file->Bytes(), path, [&](BlockInPlace&& block) {
      const Source& source = block.segment.source;
      if (!IsEventLogSource(source) || source.application_attempt != attempt) return;
      // A block may exist twice, from before and after the log has grown; the longer one counts.
      Block& known = blocks[source.sequence];
      if (!known.bytes.empty() && EndOf(block.segment) <= known.end) return;
      known = {EndOf(block.segment), block.OwnBlock()};
    });
    if (!status) return tl::unexpected(status.error());
  }
  return RecordedEventLog(std::move(blocks));
}

// Reads the lines of the blocks with one block in memory at a time.
class EventLogLines : public ByteSource {
 public:
  explicit EventLogLines(std::shared_ptr<const RecordedEventLog::Blocks> blocks)
      : blocks_(std::move(blocks)), next_(blocks_->begin()) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    while (at_ == lines_.size()) {
      if (next_ == blocks_->end()) return size_t{0};
      lines_.clear();
      at_ = 0;
      const Result<RecordingStatus> status = ReadBlocks(next_->second.bytes, "event log", [&](Segment&& segment) {
        for (const std::string& event : segment.spark_events) lines_.append(event).append(1, '\n');
      });
      if (!status) return tl::unexpected(status.error());
      ++next_;
    }
    const size_t count = std::min(size, lines_.size() - at_);
    std::memcpy(bytes, lines_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::shared_ptr<const RecordedEventLog::Blocks> blocks_;
  RecordedEventLog::Blocks::const_iterator next_;
  std::string lines_;
  size_t at_ = 0;
};

std::unique_ptr<ByteSource> RecordedEventLog::Open() const { return std::make_unique<EventLogLines>(blocks_); }

}  // namespace sparkprof
