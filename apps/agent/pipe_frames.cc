// SPDX-License-Identifier: Apache-2.0
#include "pipe_frames.h"

namespace sparkprof {
namespace {

constexpr size_t kHeaderSize = 5;

}  // namespace

void PipeReader::Append(std::string_view bytes) {
  buffer_.erase(0, position_);
  position_ = 0;
  buffer_.append(bytes);
  // Releases the memory of a long frame.
  if (buffer_.capacity() > (size_t{1} << 20) && buffer_.size() < buffer_.capacity() / 8) buffer_.shrink_to_fit();
}

Result<std::optional<PipeFrame>> PipeReader::Next() {
  const std::string_view rest = std::string_view(buffer_).substr(position_);
  if (rest.size() < kHeaderSize) return std::nullopt;
  PayloadReader header(rest);
  const auto kind = static_cast<FromPlugin>(header.U8());
  const size_t size = header.U32();
  if (size > kMaxPipeFrameSize) {
    return Fail("frame of kind " + std::to_string(static_cast<int>(kind)) + " with " + std::to_string(size) +
                " bytes, at most " + std::to_string(kMaxPipeFrameSize));
  }
  if (rest.size() < kHeaderSize + size) return std::nullopt;
  position_ += kHeaderSize + size;
  return PipeFrame{kind, rest.substr(kHeaderSize, size)};
}

uint64_t PayloadReader::Unsigned(size_t size) {
  if (rest_.size() < size) {
    good_ = false;
    rest_ = {};
    return 0;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | static_cast<uint8_t>(rest_[i]);
  rest_.remove_prefix(size);
  return value;
}

std::string_view PayloadReader::Text() {
  const size_t size = U32();
  if (rest_.size() < size) {
    good_ = false;
    rest_ = {};
    return {};
  }
  const std::string_view text = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return text;
}

std::optional<std::map<std::string, std::string>> ReadPairs(std::string_view payload) {
  std::map<std::string, std::string> pairs;
  PayloadReader reader(payload);
  while (!reader.AtEnd()) {
    const std::string_view key = reader.Text();
    const std::string_view value = reader.Text();
    if (!reader.Good()) return std::nullopt;
    pairs[std::string(key)] = value;
  }
  return pairs;
}

std::string EncodePipeFrame(ToPlugin kind, std::string_view payload) {
  std::string frame;
  frame.reserve(kHeaderSize + payload.size());
  frame += static_cast<char>(kind);
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(payload.size() >> shift);
  return frame.append(payload);
}

}  // namespace sparkprof
