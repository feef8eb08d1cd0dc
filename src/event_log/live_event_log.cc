// SPDX-License-Identifier: Apache-2.0
#include "event_log/live_event_log.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/io/byte_source.h"
#include "base/io/compression.h"
#include "base/io/line_reader.h"
#include "base/io/stream_entry.h"

namespace sparkprof {
namespace {

constexpr size_t kReadBytes = size_t{1} << 20;
constexpr size_t kMaxLineBytes = LineLimits{}.max_line_bytes;

Input InputOf(const std::vector<std::string>& files) {
  Input input;
  input.path = files.front();
  input.kind = InputKind::kEventLog;
  input.in_progress = true;
  for (const std::string& file : files) input.parts.push_back({file, [file] { return OpenFileSource(file); }});
  return input;
}

struct OpenedEvents {
  std::unique_ptr<ByteSource> source;
  // Whether the following bytes can be decompressed independently, unless the source ends with an error.
  bool can_go_on = false;
};

// Opens the events of a file from a position to `size` (stored bytes).
Result<OpenedEvents> OpenEvents(const std::string& path, const LogPlace& from, int64_t size) {
  const Result<std::unique_ptr<ByteSource>> head = OpenFileSource(path, 0, kCodecMagicBytes);
  if (!head) return tl::unexpected(head.error());
  std::optional<Error> error;
  const bool is_plain = DetectCodec(ReadUpTo(head->get(), kCodecMagicBytes, &error)) == Codec::kNone;
  const Codec codec = is_plain ? Codec::kNone : EnterableCodec(path);
  const int64_t stored = size - from.offset;
  Result<std::unique_ptr<ByteSource>> events =
      codec == Codec::kNone ? OpenFileSource(path, from.offset, stored) : OpenAtEntry(path, codec, from.offset, stored);
  if (!events) return tl::unexpected(events.error());
  const bool can_go_on = is_plain || codec != Codec::kNone;
  if (!can_go_on) *events = Decompress(std::move(*events), path);
  return OpenedEvents{std::move(*events), can_go_on};
}

bool Skip(int64_t bytes, ByteSource* source) {
  std::string skipped(std::min(kReadBytes, static_cast<size_t>(bytes)), '\0');
  while (bytes > 0) {
    const Result<size_t> count = source->Read(skipped.data(), std::min(kReadBytes, static_cast<size_t>(bytes)));
    if (count.value_or(0) == 0) return false;
    bytes -= static_cast<int64_t>(*count);
  }
  return true;
}

}  // namespace

LiveEventLog::LiveEventLog(std::vector<std::string> files, const EventLogWindow& window)
    : files_(std::move(files)), most_bytes_(window.whole_bytes), log_(WindowOf(InputOf(files_), window)) {
  reader_.AddLines(log_.context);
  next_ = log_.first;
  is_readable_ = ReadOn();
}

bool LiveEventLog::Update(const std::vector<std::string>& files) {
  const bool go_on = is_readable_ && files.size() >= files_.size() &&
                     std::equal(files_.begin() + static_cast<std::ptrdiff_t>(next_.part), files_.end(),
                                files.begin() + static_cast<std::ptrdiff_t>(next_.part));
  if (!go_on) return false;
  files_ = files;
  is_readable_ = ReadOn();
  return is_readable_ && bytes_ <= most_bytes_;
}

bool LiveEventLog::ReadOn() {
  for (;;) {
    if (!ReadFile(files_[next_.part])) return false;
    if (next_.part + 1 == files_.size()) return true;
    next_ = LogPlace{next_.part + 1};
    rest_.clear();
  }
}

bool LiveEventLog::ReadFile(const std::string& path) {
  std::error_code unknown;
  const auto size = static_cast<int64_t>(std::filesystem::file_size(path, unknown));
  if (unknown || size < next_.offset) return false;
  // Too short for a line, and possibly for detecting the codec.
  if (size < static_cast<int64_t>(kCodecMagicBytes)) return true;
  const Result<OpenedEvents> events = OpenEvents(path, next_, size);
  if (!events) return false;
  if (!Skip(next_.skipped, events->source.get())) return false;
  std::string text = rest_;
  for (;;) {
    const size_t begin = text.size();
    text.resize(begin + kReadBytes);
    const Result<size_t> count = events->source->Read(text.data() + begin, kReadBytes);
    text.resize(begin + count.value_or(0));
    if (count.value_or(0) > 0) {
      next_.skipped += static_cast<int64_t>(*count);
      if (!AddLinesOf(&text)) return false;
      continue;
    }
    // Reading to the end of compressed data that is still being written is an error.
    if (count && events->can_go_on) {
      next_.offset = size;
      next_.skipped = 0;
    }
    rest_ = std::move(text);
    return true;
  }
}

bool LiveEventLog::AddLinesOf(std::string* text) {
  const size_t complete = text->rfind('\n') + 1;
  if (complete == 0) return text->size() <= kMaxLineBytes;
  if (!reader_.AddLines(std::string_view(*text).substr(0, complete)).empty()) return false;
  bytes_ += static_cast<int64_t>(complete);
  text->erase(0, complete);
  return true;
}

Application LiveEventLog::Snapshot() {
  Application application = reader_.Snapshot();
  application.complete = application.ended;
  if (application.damaged_events > 0)
    application.losses.push_back({"spark_events", "invalid JSON", application.damaged_events});
  ShowWindow(log_, &application);
  return application;
}

}  // namespace sparkprof
