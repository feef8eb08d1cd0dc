// SPDX-License-Identifier: Apache-2.0
#include "event_log/live_event_log.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/byte_source.h"
#include "base/decompress.h"
#include "base/line_reader.h"

namespace sparkprof {
namespace {

constexpr size_t kReadBytes = size_t{1} << 20;
constexpr size_t kMostLineBytes = LineLimits{}.max_line_bytes;

Input InputOf(const std::vector<std::string>& files) {
  Input input;
  input.path = files.front();
  input.kind = InputKind::kEventLog;
  input.in_progress = true;
  for (const std::string& file : files) input.parts.push_back({file, [file] { return OpenFileSource(file); }});
  return input;
}

// The events of a file behind the first `offset` bytes of them.
Result<std::unique_ptr<ByteSource>> OpenEvents(const std::string& path, int64_t offset) {
  Result<std::unique_ptr<ByteSource>> head = OpenFileSource(path, 0, kCodecMagicBytes);
  if (!head) return head;
  std::optional<Error> error;
  if (DetectCodec(ReadUpTo(head->get(), kCodecMagicBytes, &error)) == Codec::kNone) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    if (unknown || static_cast<int64_t>(size) < offset) return Fail(path + ": shorter than before");
    return OpenFileSource(path, offset);
  }
  Result<std::unique_ptr<ByteSource>> stored = OpenFileSource(path);
  if (!stored) return stored;
  std::unique_ptr<ByteSource> events = Decompress(std::move(*stored), path);
  std::string skipped(kReadBytes, '\0');
  while (offset > 0) {
    const Result<size_t> count = events->Read(skipped.data(), std::min(kReadBytes, static_cast<size_t>(offset)));
    if (!count || *count == 0) break;
    offset -= static_cast<int64_t>(*count);
  }
  return events;
}

}  // namespace

LiveEventLog::LiveEventLog(std::vector<std::string> files, const EventLogWindow& window)
    : files_(std::move(files)), most_bytes_(window.whole_bytes), log_(WindowOf(InputOf(files_), window)) {
  reader_.AddLines(log_.context);
  file_ = log_.first_part;
  offset_ = log_.first_offset;
  is_readable_ = ReadOn();
}

bool LiveEventLog::Update(const std::vector<std::string>& files) {
  const bool go_on = is_readable_ && files.size() >= files_.size() &&
                     std::equal(files_.begin() + static_cast<std::ptrdiff_t>(file_), files_.end(),
                                files.begin() + static_cast<std::ptrdiff_t>(file_));
  if (!go_on) return false;
  files_ = files;
  is_readable_ = ReadOn();
  return is_readable_ && bytes_ <= most_bytes_;
}

bool LiveEventLog::ReadOn() {
  for (;; ++file_, offset_ = 0) {
    if (!ReadFile(files_[file_])) return false;
    if (file_ + 1 == files_.size()) return true;
  }
}

bool LiveEventLog::ReadFile(const std::string& path) {
  Result<std::unique_ptr<ByteSource>> events = OpenEvents(path, offset_);
  if (!events) return false;
  std::string text;
  for (;;) {
    const size_t begin = text.size();
    text.resize(begin + kReadBytes);
    const Result<size_t> count = (*events)->Read(text.data() + begin, kReadBytes);
    text.resize(begin + count.value_or(0));
    // The end of compressed data that is being written is an error.
    if (count.value_or(0) == 0) return true;
    const size_t complete = text.rfind('\n') + 1;
    if (complete == 0 && text.size() > kMostLineBytes) return false;
    if (complete == 0) continue;
    if (!reader_.AddLines(std::string_view(text).substr(0, complete)).empty()) return false;
    offset_ += static_cast<int64_t>(complete);
    bytes_ += static_cast<int64_t>(complete);
    text.erase(0, complete);
  }
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
