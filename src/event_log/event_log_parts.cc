// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_log_parts.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/io/stream_entry.h"

namespace sparkprof {
namespace {

constexpr double kUsualRatio = 20;  // typical compression ratio of event logs
constexpr std::string_view kFirstOfLine = "{\"Event\":";

std::string ReadBytes(const std::string& path, int64_t offset, int64_t size) {
  const Result<std::unique_ptr<ByteSource>> source = OpenFileSource(path, offset, size);
  if (!source) return {};
  std::optional<Error> error;
  return ReadUpTo(source->get(), static_cast<size_t>(size), &error);
}

class Sequence : public ByteSource {
 public:
  Sequence(std::unique_ptr<ByteSource> first, std::unique_ptr<ByteSource> second)
      : first_(std::move(first)), second_(std::move(second)) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    if (first_ != nullptr) {
      const Result<size_t> got = first_->Read(bytes, size);
      if (!got || *got > 0) return got;
      first_.reset();
    }
    return second_->Read(bytes, size);
  }

 private:
  std::unique_ptr<ByteSource> first_;
  const std::unique_ptr<ByteSource> second_;
};

struct EnteredFile {
  std::string path;
  Codec codec = Codec::kNone;
  ExpansionLimits limits;

  // Decompresses `size` stored bytes from `offset` on, without the first `skipped` decompressed bytes.
  Result<std::unique_ptr<ByteSource>> Open(int64_t offset, int64_t skipped, int64_t size = INT64_MAX) const {
    if (codec == Codec::kNone) return OpenFileSource(path, offset, size);
    Result<std::unique_ptr<ByteSource>> events = OpenAtEntry(path, codec, offset, size, limits);
    if (!events) return events;
    std::optional<Error> error;
    ReadUpTo(events->get(), static_cast<size_t>(skipped), &error);
    if (error) return tl::unexpected(*error);
    return events;
  }

  // The events between two positions of the same part.
  Result<std::unique_ptr<ByteSource>> Between(LogPlace begin, LogPlace end) const {
    if (end.skipped == 0) return Open(begin.offset, begin.skipped, end.offset - begin.offset);
    // The line at the entry point continues after it.
    Result<std::unique_ptr<ByteSource>> last = Open(end.offset, 0);
    if (!last) return last;
    std::optional<Error> error;
    std::string line = ReadUpTo(last->get(), static_cast<size_t>(end.skipped), &error);
    if (error) return tl::unexpected(*error);
    if (begin.offset == end.offset) return StringSource(line.substr(static_cast<size_t>(begin.skipped)));
    Result<std::unique_ptr<ByteSource>> first = Open(begin.offset, begin.skipped, end.offset - begin.offset);
    if (!first) return first;
    return std::make_unique<Sequence>(std::move(*first), StringSource(std::move(line)));
  }
};

}  // namespace

LogParts::LogParts(const Input& log) : log_(log) {
  for (const InputPart& part : log.parts) {
    std::error_code error;
    const auto size = std::filesystem::file_size(part.path, error);
    parts_.push_back({error ? 0 : static_cast<int64_t>(size), !error && ReadBytes(part.path, 0, 1) == "{"});
  }
  ratio_ = MeasureRatio();
}

// Measures the compression ratio at the end of the last part with entry points.
double LogParts::MeasureRatio() const {
  for (size_t part = Count(); part-- > 0;) {
    if (IsPlain(part)) continue;
    const Codec codec = EnterableCodec(PathOf(part));
    const std::optional<int64_t> entry =
        FindEntry(PathOf(part), codec, std::max<int64_t>(0, StoredSize(part) - kProbeBytes));
    if (!entry) break;
    const Result<std::unique_ptr<ByteSource>> events = OpenAtEntry(PathOf(part), codec, *entry, INT64_MAX, log_.limits);
    if (!events) break;
    std::optional<Error> error;
    int64_t expanded = 0;
    for (size_t got = 1; got > 0; expanded += static_cast<int64_t>(got))
      got = ReadUpTo(events->get(), kProbeBytes, &error).size();
    return std::max(1.0, static_cast<double>(expanded) / static_cast<double>(StoredSize(part) - *entry));
  }
  return kUsualRatio;
}

bool LogParts::IsEnterable(size_t part) const {
  return IsPlain(part) || FindEntry(PathOf(part), EnterableCodec(PathOf(part)), 1).has_value();
}

int64_t LogParts::Expanded(size_t part, int64_t stored) const {
  return static_cast<int64_t>(RatioOf(part) * static_cast<double>(stored));
}

int64_t LogParts::StoredBefore(LogPlace place) const {
  int64_t bytes = place.offset;
  for (size_t part = 0; part < place.part; ++part) bytes += StoredSize(part);
  return bytes;
}

int64_t LogParts::ExpandedBefore(LogPlace place) const {
  int64_t bytes = place.offset > 0 ? Expanded(place.part, place.offset) + place.skipped : 0;
  for (size_t part = 0; part < place.part; ++part) bytes += Expanded(part, StoredSize(part));
  return bytes;
}

Result<std::unique_ptr<ByteSource>> LogParts::Open(LogPlace place) const {
  if (place.offset == 0) return Between({place.part, 0}, {place.part + 1, 0}).Open();
  const std::string& path = PathOf(place.part);
  if (IsPlain(place.part)) return OpenFileSource(path, place.offset);
  const Codec codec = EnterableCodec(path);
  const std::optional<int64_t> entry = FindEntry(path, codec, place.offset);
  if (!entry) return StringSource({});
  return EnteredFile{path, codec, log_.limits}.Open(*entry, place.skipped);
}

std::string LogParts::Read(LogPlace place, int64_t size) const {
  const Result<std::unique_ptr<ByteSource>> source = Open(place);
  if (!source) return {};
  std::optional<Error> error;
  return ReadUpTo(source->get(), static_cast<size_t>(size), &error);
}

std::string LogParts::Tail(size_t part, int64_t size) const {
  const auto most = static_cast<size_t>(size);
  // Compressed events are longer than their stored size.
  const LogPlace near_end{part, std::max<int64_t>(0, StoredSize(part) - size)};
  for (const LogPlace& begin : {near_end, LogPlace{part, 0}}) {
    const Result<std::unique_ptr<ByteSource>> source = Open(begin);
    std::string tail = source ? ReadLast(source->get(), most) : std::string();
    if (tail.size() == most || begin.offset == 0) return tail;
  }
  return {};
}

Input LogParts::Between(LogPlace begin, LogPlace end) const {
  Input input = log_;
  input.parts.clear();
  for (size_t part = begin.part; part < Count() && LogPlace{part, 0} < end; ++part) {
    const LogPlace from = part == begin.part ? begin : LogPlace{part, 0};
    const bool is_cut = part == end.part;
    if (from.offset == 0 && !is_cut) {
      input.parts.push_back(log_.parts[part]);
      continue;
    }
    const std::string& path = PathOf(part);
    const EnteredFile file{path, IsPlain(part) ? Codec::kNone : EnterableCodec(path), log_.limits};
    input.parts.push_back(
        {path, [=] { return is_cut ? file.Between(from, end) : file.Open(from.offset, from.skipped); }});
  }
  return input;
}

LogPlace LogParts::NextLine(LogPlace place) const {
  if (place.offset <= 0) return place;
  if (!IsPlain(place.part)) {
    const std::optional<int64_t> entry =
        FindEntry(PathOf(place.part), EnterableCodec(PathOf(place.part)), place.offset);
    if (!entry) return {place.part, 0};
    place.offset = *entry;
    if (Read(place, kFirstOfLine.size()) == kFirstOfLine) return place;
  } else {
    --place.offset;
  }
  for (int64_t size = kProbeBytes; size <= kMaxProbeBytes; size *= kLargerProbe) {
    const size_t end = Read(place, size).find('\n');
    if (end == std::string::npos) continue;
    int64_t* const at = IsPlain(place.part) ? &place.offset : &place.skipped;
    *at += static_cast<int64_t>(end) + 1;
    return place;
  }
  return {place.part, 0};
}

LogPlace LogParts::Back(LogPlace end, int64_t bytes) const {
  for (size_t part = std::min(end.part + 1, Count()); part-- > 0;) {
    const int64_t stored = part == end.part ? end.offset : StoredSize(part);
    const int64_t events = Expanded(part, stored);
    if (events < bytes) {
      bytes -= events;
      continue;
    }
    const auto before = static_cast<int64_t>(static_cast<double>(events - bytes) / RatioOf(part));
    return {part, IsEnterable(part) ? before : 0};
  }
  return {};
}

}  // namespace sparkprof
