// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "base/io/byte_source.h"
#include "base/text/characters.h"

namespace sparkprof {
namespace {

// Contains the first line ends of nearly any text.
constexpr size_t kTextHeadBytes = size_t{64} << 10;

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
constexpr size_t kUtf16HeadBytes = 64;

constexpr uint32_t kReplacement = 0xfffd;

class ConvertedSource : public ByteSource {
 public:
  explicit ConvertedSource(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  Result<size_t> Read(char* bytes, size_t size) final {
    while (taken_ == text_.size()) {
      if (ended_) return std::exchange(end_, Result<size_t>(0));
      text_.clear();
      taken_ = 0;
      Result<size_t> got = source_->Read(raw_, sizeof raw_);
      if (got && *got > 0) {
        Convert({raw_, *got}, &text_);
        continue;
      }
      ended_ = true;
      const std::string problem = Finish(&text_);
      end_ = got && !problem.empty() ? Fail(problem) : std::move(got);
    }
    const size_t count = std::min(size, text_.size() - taken_);
    std::memcpy(bytes, text_.data() + taken_, count);
    taken_ += count;
    return count;
  }

 protected:
  virtual void Convert(std::string_view raw, std::string* text) = 0;
  // Adds the rest at the end. Returns the problem of an incomplete end.
  virtual std::string Finish(std::string* text) = 0;

 private:
  std::unique_ptr<ByteSource> source_;
  char raw_[size_t{32} << 10];
  std::string text_;
  size_t taken_ = 0;  // consumed part of text_
  bool ended_ = false;
  Result<size_t> end_ = 0;
};

// Converts UTF-16 without its byte order mark to UTF-8.
class Utf16Source : public ConvertedSource {
 public:
  Utf16Source(std::unique_ptr<ByteSource> source, const Utf16Head& head, std::string name)
      : ConvertedSource(std::move(source)),
        big_endian_(head.is_big_endian),
        name_(std::move(name)),
        offset_(head.mark) {}

 private:
  void Convert(std::string_view raw, std::string* text) override {
    offset_ += raw.size();
    for (const char c : raw) {
      const auto byte = static_cast<uint8_t>(c);
      if (!first_) {
        first_ = byte;
        continue;
      }
      const uint32_t unit = big_endian_ ? *first_ << 8 | byte : byte << 8 | *first_;
      first_.reset();
      AddUnit(unit, text);
    }
  }

  void AddUnit(uint32_t unit, std::string* text) {
    const bool is_high = unit >= 0xd800 && unit < 0xdc00, is_low = unit >= 0xdc00 && unit < 0xe000;
    const uint32_t high = std::exchange(high_, is_high ? unit : 0);
    if (high != 0 && is_low) {
      AppendUtf8(0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00), text);
      return;
    }
    if (high != 0) AppendUtf8(kReplacement, text);
    if (!is_high) AppendUtf8(is_low ? kReplacement : unit, text);
  }

  std::string Finish(std::string* text) override {
    if (high_ != 0) AppendUtf8(kReplacement, text);
    return first_ ? fmt::format("{}: UTF-16 text truncated at byte {}", name_, offset_) : "";
  }

  const bool big_endian_;
  const std::string name_;
  size_t offset_;
  std::optional<uint8_t> first_;  // half a unit
  uint32_t high_ = 0;             // half a surrogate pair
};

// Converts line ends to LF: CRLF, and with `lone_ends` also CR.
class LineEndSource : public ConvertedSource {
 public:
  LineEndSource(std::unique_ptr<ByteSource> source, bool lone_ends)
      : ConvertedSource(std::move(source)), lone_end_(lone_ends ? '\n' : '\r') {}

 private:
  void Convert(std::string_view raw, std::string* text) override {
    while (!raw.empty()) {
      if (std::exchange(held_, false) && raw[0] != '\n') *text += lone_end_;
      const size_t end = std::min(raw.find('\r'), raw.size());
      text->append(raw.substr(0, end));
      held_ = end < raw.size();
      raw.remove_prefix(held_ ? end + 1 : end);
    }
  }

  std::string Finish(std::string* text) override {
    if (held_) *text += lone_end_;
    return {};
  }

  const char lone_end_;
  bool held_ = false;  // the last piece ended in a CR
};

// Whether there are no control characters, which every binary format has: in protobuf, CR and LF are lengths and
// fields.
bool IsPlainText(std::string_view head) {
  constexpr std::string_view kAllowed = "\t\n\v\f\r\x1b";
  return std::all_of(head.begin(), head.end(), [&](char c) {
    return static_cast<unsigned char>(c) >= ' ' || kAllowed.find(c) != std::string_view::npos;
  });
}

// Returns the next bytes of `source` without consuming them.
std::string Peek(size_t size, std::unique_ptr<ByteSource>* source) {
  std::optional<Error> error;
  std::string head = ReadUpTo(source->get(), size, &error);
  *source = HeadedSource(head, std::move(error), std::move(*source));
  return head;
}

void Skip(size_t size, ByteSource* source) {
  std::optional<Error> error;
  ReadUpTo(source, size, &error);
}

}  // namespace

Utf16Head Utf16HeadOf(std::string_view head) {
  constexpr std::string_view kLittleMark = "\xff\xfe", kBigMark = "\xfe\xff", kUtf32Mark{"\xff\xfe\0\0", 4};
  if (head.starts_with(kBigMark)) return {.is_utf16 = true, .is_big_endian = true, .mark = kBigMark.size()};
  if (head.starts_with(kLittleMark)) return {.is_utf16 = !head.starts_with(kUtf32Mark), .mark = kLittleMark.size()};
  head = head.substr(0, std::min(kUtf16HeadBytes, head.size() & ~size_t{1}));
  size_t zeros[2] = {0, 0}, letters[2] = {0, 0};
  for (size_t i = 0; i < head.size(); ++i) {
    zeros[i % 2] += head[i] == '\0' ? 1 : 0;
    letters[i % 2] +=
        (head[i] >= ' ' && head[i] <= '~') || head[i] == '\t' || head[i] == '\r' || head[i] == '\n' ? 1 : 0;
  }
  const auto has_zeros_in = [&](size_t side) {
    return zeros[side] == head.size() / 2 && letters[1 - side] == zeros[side];
  };
  const bool is_big_endian = has_zeros_in(0);
  return {.is_utf16 = head.size() >= 4 && (is_big_endian || has_zeros_in(1)), .is_big_endian = is_big_endian};
}

std::unique_ptr<ByteSource> DecodeText(std::unique_ptr<ByteSource> source, std::string name) {
  const std::string start = Peek(kUtf16HeadBytes, &source);
  const Utf16Head utf16 = Utf16HeadOf(start);
  if (start.starts_with(kUtf8Mark)) Skip(kUtf8Mark.size(), source.get());
  if (utf16.is_utf16) {
    Skip(utf16.mark, source.get());
    source = std::make_unique<Utf16Source>(std::move(source), utf16, std::move(name));
  }
  const std::string head = Peek(kTextHeadBytes, &source);
  const bool has_ends = head.find("\r\n") != std::string::npos;
  const bool has_lone_ends = head.find('\r') != std::string::npos && head.find('\n') == std::string::npos;
  if ((!has_ends && !has_lone_ends) || !IsPlainText(head)) return source;
  return std::make_unique<LineEndSource>(std::move(source), has_lone_ends);
}

}  // namespace sparkprof
