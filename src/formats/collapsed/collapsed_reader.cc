// SPDX-License-Identifier: Apache-2.0
#include "formats/collapsed/collapsed_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>

#include "base/saturate.h"
#include "base/text/byte_positions.h"
#include "base/text/characters.h"
#include "formats/value_unit.h"
#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

bool IsBlankInCollapsed(char c) { return c == ' ' || c == '\t'; }

constexpr int64_t kBillion = 1'000'000'000;

std::string_view WithoutBlanksAtEnd(std::string_view line) {
  size_t end = line.size();
  while (end > 0 && (IsBlankInCollapsed(line[end - 1]) || line[end - 1] == '\r')) --end;
  return line.substr(0, end);
}

// Frames may begin with '#', too.
bool IsComment(std::string_view line) {
  return line.starts_with('#') && (line.size() == 1 || IsBlankInCollapsed(line[1]) || line[1] == '#' || line[1] == '!');
}

size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    uint64_t left, right;
    std::memcpy(&left, a.data() + at, 8);
    std::memcpy(&right, b.data() + at, 8);
    if (left != right) return at + static_cast<size_t>(__builtin_ctzll(left ^ right)) / 8;
  }
  while (at < size && a[at] == b[at]) ++at;
  return at;
}

}  // namespace

// "123" or "12.5"; nothing when it is another text or too large.
std::optional<CollapsedReader::Weight> CollapsedReader::ParseWeight(std::string_view text) {
  Weight weight;
  size_t at = 0;
  for (; at < text.size() && IsDigit(text[at]); ++at) {
    if (__builtin_mul_overflow(weight.whole, 10, &weight.whole) ||
        __builtin_add_overflow(weight.whole, text[at] - '0', &weight.whole)) {
      return std::nullopt;
    }
  }
  if (at == 0) return std::nullopt;
  if (at == text.size()) return weight;
  if (text[at] != '.') return std::nullopt;
  const std::string_view decimals = text.substr(at + 1);
  if (!std::all_of(decimals.begin(), decimals.end(), IsDigit)) return std::nullopt;
  int64_t unit = kBillion;
  for (const char digit : decimals) {
    unit /= 10;
    weight.billionths += (digit - '0') * unit;
  }
  return weight;
}

std::optional<CollapsedReader::Weight> CollapsedReader::TakeWeight(std::string_view* line) {
  size_t begin = line->size();
  while (begin > 0 && (IsDigit((*line)[begin - 1]) || (*line)[begin - 1] == '.')) --begin;
  const bool has_sign = begin > 1 && (*line)[begin - 1] == '-';
  if (begin == 0 || begin == line->size() || !IsBlankInCollapsed((*line)[begin - (has_sign ? 2 : 1)]))
    return std::nullopt;
  std::optional<Weight> weight = ParseWeight(line->substr(begin));
  if (!weight) return std::nullopt;
  if (has_sign) weight = Weight{-weight->whole, -weight->billionths};
  *line = line->substr(0, begin - (has_sign ? 2 : 1));
  return weight;
}

FrameKind KindOfEnding(std::string_view name) {
  if (name.size() < 5 || name.back() != ']' || name.substr(name.size() - 4, 2) != "_[") return FrameKind::kUnknown;
  switch (name[name.size() - 2]) {
    case 'j':
    case '1':  // compiled by C1
      return FrameKind::kJit;
    case 'i':
      return FrameKind::kInlined;
    case '0':
      return FrameKind::kInterpreted;
    case 'k':
      return FrameKind::kKernel;
    default:
      return FrameKind::kUnknown;
  }
}

CollapsedReader::KnownLines& CollapsedReader::LinesLike(std::string_view text) {
  constexpr size_t kBeginning = 64, kBeginnings = 256, kLongestLine = size_t{64} << 10;
  if (text.size() > kLongestLine) return long_lines_ = {};
  if (known_lines_.empty()) known_lines_.resize(kBeginnings);
  return known_lines_[HashBytes(text.substr(0, kBeginning)) % kBeginnings];
}

CollapsedReader::KnownLine& CollapsedReader::TakeOver(std::string_view text) {
  auto& [last, best, best_common] = LinesLike(text);
  const size_t with_last = CommonPrefix(last.text, text), with_best = CommonPrefix(best.text, text);
  if (with_last > with_best) {
    // The best line at the start of a file may not be the best at its end.
    best_common -= best_common / 8;
    if (with_last > best_common) {
      best = last;
      best_common = with_last;
    }
  }
  const KnownLine& from = with_best > with_last ? best : last;
  const size_t common = std::max(with_last, with_best);
  size_t keep = 0;
  while (keep < from.frames.size() && from.frames[keep].end <= common &&
         (from.frames[keep].end == text.size() || text[from.frames[keep].end] == ';')) {
    ++keep;
  }
  if (&from == &best) {
    last.frames.assign(best.frames.begin(), best.frames.begin() + static_cast<ptrdiff_t>(keep));
    last.text = text;
  } else {
    last.frames.resize(keep);
    last.text.resize(common);
    last.text += text.substr(common);
  }
  return last;
}

// Lines often share their first frames with an earlier line: those are not looked up again.
StackId CollapsedReader::Stack(std::string_view text) {
  KnownLine& line = TakeOver(text);
  StackId stack = line.frames.empty() ? 0 : line.frames.back().stack;
  StackTable& stacks = builder_->profile().stacks;
  size_t begin = line.frames.empty() ? 0 : line.frames.back().end + 1, next = begin;
  BytePositions semicolons(text, std::min(begin, text.size()), ';');
  while (begin < text.size()) {
    // Prefetches for a batch of frames, so that lookups do not wait for memory one by one.
    std::array<uint64_t, 32> hashes;
    const size_t first = line.frames.size();
    for (size_t i = 0; i < hashes.size() && begin < text.size(); ++i) {
      const size_t end = semicolons.Next();
      hashes[i] = frames_.Prefetch(text.substr(begin, end - begin));
      line.frames.push_back({.end = end});
      begin = end + 1;
    }
    const std::span<KnownFrame> some = std::span(line.frames).subspan(first);
    for (size_t i = 0; i < some.size(); ++i) {
      some[i].frame = frames_.Get(text.substr(next, some[i].end - next), hashes[i],
                                  [&](std::string_view name) { return builder_->AddFrame(name, KindOfEnding(name)); });
      next = some[i].end + 1;
      // Near the frame where a line differs from earlier ones, IDs of stacks are mostly consecutive.
      constexpr size_t kWay = 8;
      if (i < kWay) stacks.Prefetch(stack + static_cast<StackId>(i), some[i].frame);
    }
    for (KnownFrame& known : some) known.stack = stack = stacks.Push(stack, known.frame);
  }
  return stack;
}

void CollapsedReader::AddColumns(bool has_two) {
  const std::string& of_input = builder_->options().unit;
  const ValueUnit unit = UnitOf(of_input);
  scale_ = unit.scale;
  is_count_ = unit.name == "count";
  if (has_two) {
    columns_ = {builder_->AddEvent(kBefore, unit.name), builder_->AddEvent(kAfter, unit.name)};
  } else {
    columns_ = {builder_->AddEvent(EventOfUnit(unit.name), unit.name)};
  }
  // Numbers of an unknown unit may be samples, but are not known to be.
  for (const EventId event : columns_) builder_->profile().events[event].has_counts = is_count_ && !of_input.empty();
  builder_->profile().default_event = columns_.back();
}

Result<void> CollapsedReader::AddLine(std::string_view line) {
  ++line_number_;
  line = WithoutBlanksAtEnd(line);
  if (line.empty() || IsComment(line)) return {};
  std::string_view stack = line;
  const std::optional<Weight> last = TakeWeight(&stack);
  std::optional<Weight> first;
  if (last && columns_.size() != 1) {
    first = TakeWeight(&stack);
    if (columns_.empty()) AddColumns(first.has_value());
  }
  if (!last || (columns_.size() == 2 && !first)) {
    // A comment, or a frame whose weight is missing.
    if (!last && line.starts_with('#')) return {};
    return builder_->Damaged(fmt::format("line {}: expected a stack such as a;b;c, a space and {}, found '{}'",
                                         line_number_, columns_.size() == 2 ? "two numbers" : "a number",
                                         line.substr(0, 60)));
  }
  const StackId id = Stack(stack);
  if (first) AddScaled(0, id, *first);
  AddScaled(columns_.size() - 1, id, *last);
  return {};
}

void CollapsedReader::AddScaled(size_t column, StackId stack, Weight weight) {
  if (scale_ != 1) {
    Weight scaled{.whole = weight.billionths * scale_ / kBillion};
    AddSaturated(MultiplySaturated(weight.whole, scale_), &scaled.whole);
    weight = scaled;
  }
  Add(column, stack, weight);
}

void CollapsedReader::Add(size_t column, StackId stack, Weight weight) {
  if (weight.billionths != 0) {
    int64_t& rest = billionths_[{column, stack}];
    rest += weight.billionths;
    AddSaturated(rest / kBillion, &weight.whole);
    rest %= kBillion;
  }
  total_ += std::abs(static_cast<double>(weight.whole));
  if (weight.whole == 0 && columns_.size() == 2) return;
  builder_->Add(
      {.stack = stack, .event = columns_[column], .weight = weight.whole, .count = is_count_ ? weight.whole : 0});
}

Result<void> CollapsedReader::Finish() {
  size_t current = 0;
  int64_t carried = 0;     // rounding so far: lost weight, negative if gained
  double rounded_off = 0;  // sum over all stacks
  double exact = total_;
  for (const auto& [key, rest] : billionths_) {
    const auto& [column, stack] = key;
    if (column != current) carried = 0;
    current = column;
    carried += rest;
    exact += std::abs(static_cast<double>(rest)) / kBillion;
    const bool stays = std::abs(carried) < kBillion / 2;
    rounded_off += std::abs(static_cast<double>(rest) / kBillion - (stays ? 0 : carried > 0 ? 1 : -1));
    if (stays) continue;
    const int64_t unit = carried > 0 ? 1 : -1;
    carried -= unit * kBillion;
    Add(column, stack, {.whole = unit});
  }
  constexpr double kTolerated = 0.01;  // relative to the total
  if (rounded_off > exact * kTolerated) {
    builder_->Note(
        fmt::format("numbers with decimals are rounded to whole ones, which moves {:.0f}% of the total; if "
                    "they are times or bytes, --input-unit keeps their decimals",
                    std::min(100.0, 100 * rounded_off / exact)));
  }
  return {};
}

bool CollapsedReader::LooksLike(std::string_view head) {
  // Checks the first lines, the last one only if it is complete. If none has several frames, there must be no comment,
  // and at most one blank in a name: "f (x.py:3) 5" is a stack, the row of a table is not.
  int lines = 0;
  bool has_separator = false, has_comment = false;
  ptrdiff_t most_blanks = 0;
  while (lines < 5) {
    const size_t end = head.find('\n');
    if (end == std::string_view::npos && lines > 0) break;
    std::string_view line = head.substr(0, end);
    line = WithoutBlanksAtEnd(line);
    if (!line.empty() && !IsComment(line)) {
      const bool cut = end == std::string_view::npos;
      if (line.find('\0') != std::string_view::npos) return false;
      const bool has_weight = TakeWeight(&line).has_value();
      const bool has_frames = line.find(';') != std::string_view::npos;
      if (!has_weight && !cut && !line.starts_with('#')) return false;
      if (!has_weight && cut && !has_frames) return false;
      has_separator = has_separator || has_frames;
      most_blanks = std::max(most_blanks, std::count_if(line.begin(), line.end(), IsBlankInCollapsed));
      if (has_weight || cut) ++lines;
    } else {
      has_comment = has_comment || !line.empty();
    }
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  return lines > 0 && (has_separator || (!has_comment && most_blanks <= 1));
}

}  // namespace sparkprof
