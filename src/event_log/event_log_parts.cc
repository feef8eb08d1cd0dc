// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_log_parts.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/byte_source.h"

namespace sparkprof {
namespace {

constexpr int64_t kUsualRatio = 20;  // of compressed event logs

std::string ReadBytes(const std::string& path, int64_t offset, int64_t size) {
  const Result<std::unique_ptr<ByteSource>> source = OpenFileSource(path, offset, size);
  if (!source) return {};
  std::optional<Error> error;
  return ReadUpTo(source->get(), static_cast<size_t>(size), &error);
}

}  // namespace

LogParts::LogParts(const Input& log) : log_(log) {
  for (const InputPart& part : log.parts) {
    std::error_code error;
    const auto size = std::filesystem::file_size(part.path, error);
    sizes_.push_back(error ? 0 : static_cast<int64_t>(size));
    is_plain_.push_back(sizes_.back() > 0 && ReadBytes(part.path, 0, 1) == "{");
  }
}

int64_t LogParts::ExpandedSize(size_t part) const {
  return is_plain_[part] ? sizes_[part] : kUsualRatio * sizes_[part];
}

int64_t LogParts::StoredBefore(LogPlace place) const {
  int64_t bytes = place.offset;
  for (size_t part = 0; part < place.part; ++part) bytes += StoredSize(part);
  return bytes;
}

int64_t LogParts::ExpandedBefore(LogPlace place) const {
  int64_t bytes = place.offset;
  for (size_t part = 0; part < place.part; ++part) bytes += ExpandedSize(part);
  return bytes;
}

std::string LogParts::Read(size_t part, int64_t offset, int64_t size) const {
  return ReadBytes(log_.parts[part].path, offset, size);
}

std::string LogParts::Head(size_t part, int64_t size) const {
  const Result<std::unique_ptr<ByteSource>> source = Between({part, 0}, {part + 1, 0}).Open();
  if (!source) return {};
  std::optional<Error> error;
  return ReadUpTo(source->get(), static_cast<size_t>(size), &error);
}

std::string LogParts::Tail(size_t part, int64_t size) const {
  if (is_plain_[part]) {
    const int64_t begin = std::max<int64_t>(0, sizes_[part] - size);
    return Read(part, begin, sizes_[part] - begin);
  }
  const Result<std::unique_ptr<ByteSource>> source = Between({part, 0}, {part + 1, 0}).Open();
  if (!source) return {};
  const auto most = static_cast<size_t>(size);
  std::string tail;
  for (;;) {
    std::optional<Error> error;
    const std::string more = ReadUpTo(source->get(), most, &error);
    const bool ended = more.size() < most;
    tail += more;
    tail.erase(0, tail.size() - std::min(tail.size(), most));
    if (ended) return tail;
  }
}

Input LogParts::Between(LogPlace begin, LogPlace end) const {
  Input input = log_;
  input.parts.clear();
  for (size_t part = begin.part; part < Count() && LogPlace{part, 0} < end; ++part) {
    const int64_t from = part == begin.part ? begin.offset : 0;
    const bool is_cut = part == end.part;
    if (from == 0 && !is_cut) {
      input.parts.push_back(log_.parts[part]);
      continue;
    }
    const int64_t size = is_cut ? end.offset - from : INT64_MAX;
    const std::string& path = log_.parts[part].path;
    input.parts.push_back({path, [path, from, size] { return OpenFileSource(path, from, size); }});
  }
  return input;
}

LogPlace LogParts::NextLine(LogPlace place) const {
  if (place.offset <= 0) return place;
  for (int64_t size = kProbeBytes; size <= kMostProbeBytes; size *= kLargerProbe) {
    const size_t end = Read(place.part, place.offset - 1, size).find('\n');
    if (end != std::string::npos) return {place.part, place.offset + static_cast<int64_t>(end)};
  }
  return {place.part, 0};
}

LogPlace LogParts::Back(LogPlace end, int64_t bytes) const {
  if (end.offset >= bytes) return {end.part, end.offset - bytes};
  bytes -= end.offset;
  for (size_t part = end.part; part-- > 0;) {
    const int64_t size = ExpandedSize(part);
    if (size >= bytes) return {part, is_plain_[part] ? size - bytes : 0};
    bytes -= size;
  }
  return {};
}

}  // namespace sparkprof
