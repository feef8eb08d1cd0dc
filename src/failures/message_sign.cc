// SPDX-License-Identifier: Apache-2.0
#include "failures/message_sign.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxTextHole = 1000;
constexpr size_t kMaxLinesHole = 4000;
constexpr std::string_view kDigits = "0123456789";

bool IsOfWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

size_t SizeOf(std::string_view text, std::string_view characters) {
  return std::min(text.find_first_not_of(characters), text.size());
}

// "12", "1,200"
size_t IntegerSize(std::string_view text) {
  size_t size = text.starts_with('-') ? 1 : 0;
  const size_t digits = SizeOf(text.substr(size), kDigits);
  if (digits == 0) return 0;
  size += digits;
  while (text.substr(size).starts_with(',') && SizeOf(text.substr(size + 1), kDigits) == 3) size += 4;
  return size;
}

// "12", "12.5"
size_t NumberSize(std::string_view text) {
  const size_t digits = SizeOf(text, kDigits);
  if (digits == 0 || digits + 1 >= text.size() || text[digits] != '.') return digits;
  const size_t fraction = SizeOf(text.substr(digits + 1), kDigits);
  return fraction == 0 ? digits : digits + 1 + fraction;
}

// "1026.4 MiB", "6GB"
size_t QuantitySize(std::string_view text) {
  size_t size = NumberSize(text);
  if (size == 0) return 0;
  std::string_view unit = text.substr(size);
  const bool has_blank = unit.starts_with(' ');
  if (has_blank) unit.remove_prefix(1);
  for (const std::string_view one :
       {"KiB", "MiB", "GiB", "TiB", "KB", "MB", "GB", "TB", "Ki", "Mi", "Gi", "Ti", "bytes", "B"}) {
    if (unit.starts_with(one)) return size + (has_blank ? 1 : 0) + one.size();
  }
  return 0;
}

// The size of a word up to one of the characters, without final punctuation.
size_t WordSize(std::string_view text, std::string_view ends, std::string_view trailing) {
  size_t size = std::min(text.find_first_of(ends), text.size());
  while (size > 0 && trailing.find(text[size - 1]) != std::string_view::npos) --size;
  return size;
}

}  // namespace

void HoleValues::Add(std::string_view name, std::string_view value) {
  if (size_ < values_.size()) values_[size_++] = {name, value};
}

std::optional<std::string_view> HoleValues::Find(std::string_view name) const {
  for (size_t i = 0; i < size_; ++i) {
    if (values_[i].name == name) return values_[i].text;
  }
  return std::nullopt;
}

bool IsPartOfWord(std::string_view text, size_t begin, size_t end) {
  const bool before = begin > 0 && IsOfWord(text[begin - 1]) && IsOfWord(text[begin]);
  const bool after = end > begin && end < text.size() && IsOfWord(text[end - 1]) && IsOfWord(text[end]);
  return before || after;
}

MessageSign::MessageSign(std::string_view sign) {
  Part part;
  while (true) {
    const size_t open = std::min(sign.find('{'), sign.size());
    part.literal = sign.substr(0, open);
    parts_.push_back(part);
    if (open == sign.size()) return;
    const size_t close = std::min(sign.find('}', open), sign.size() - 1);
    std::string_view type = sign.substr(open + 1, close - open - 1);
    const size_t colon = type.find(':');
    part.name = type.substr(0, colon == std::string_view::npos ? 0 : colon);
    if (colon != std::string_view::npos) type.remove_prefix(colon + 1);
    part.hole = HoleByName(type);
    sign.remove_prefix(close + 1);
  }
}

MessageSign::Hole MessageSign::HoleByName(std::string_view name) {
  constexpr std::pair<std::string_view, Hole> kHoles[] = {
      {"int", Hole::kInt},      {"number", Hole::kNumber}, {"bytes", Hole::kBytes},     {"size", Hole::kSize},
      {"word", Hole::kWord},    {"path", Hole::kPath},     {"class", Hole::kClass},     {"text", Hole::kText},
      {"lines", Hole::kLines},  {"end", Hole::kEnd},       {"smaller", Hole::kSmaller}, {"same", Hole::kSame},
      {"blanks", Hole::kBlanks}};
  for (const auto& [type, hole] : kHoles) {
    if (type == name) return hole;
  }
  return Hole::kNone;
}

size_t MessageSign::LiteralSize() const {
  size_t size = 0;
  for (const Part& part : parts_) size += part.literal.size();
  return size;
}

// npos if the hole does not match.
size_t MessageSign::HoleSize(const Part& part, std::string_view rest) {
  const auto some = [](size_t size) { return size > 0 ? size : std::string_view::npos; };
  switch (part.hole) {
    case Hole::kNone:
    case Hole::kSame:  // depends on the values before it
      return 0;
    case Hole::kInt:
    case Hole::kSmaller:
    case Hole::kBytes:
      return some(IntegerSize(rest));
    case Hole::kNumber:
      return some(NumberSize(rest));
    case Hole::kSize:
      return some(QuantitySize(rest));
    case Hole::kWord:
      return some(WordSize(rest, " \t\r\n,;:()[]{}'\"", "."));
    case Hole::kPath:
      return some(WordSize(rest, " \t\r\n", ".,:;)'\""));
    case Hole::kClass:
      return some(WordSize(rest, " \t\r\n,:()'\"", "."));
    case Hole::kBlanks:
      return some(std::min(rest.find_first_not_of(" \t"), rest.size()));
    case Hole::kText: {
      const std::string_view line = rest.substr(0, std::min(rest.find_first_of("\r\n"), kMaxTextHole));
      return part.literal.empty() ? line.size() : line.find(part.literal);
    }
    case Hole::kLines:
      return rest.substr(0, kMaxLinesHole).find(part.literal);
    case Hole::kEnd:
      return rest.empty() || rest.front() == '\r' || rest.front() == '\n' ? 0 : std::string_view::npos;
  }
  return std::string_view::npos;
}

bool MessageSign::Match(std::string_view text, size_t at, HoleValues* values) const {
  size_t end = at + Begin().size();
  std::string_view before;  // the text of the hole before this one
  for (const Part& part : parts_) {
    if (part.hole == Hole::kNone) continue;
    const std::string_view rest = text.substr(end);
    const std::string_view same = part.hole == Hole::kSame ? values->Find(part.name).value_or("") : std::string_view();
    const size_t size = rest.starts_with(same) ? same.size() + HoleSize(part, rest) : std::string_view::npos;
    if (size == std::string_view::npos || !rest.substr(size).starts_with(part.literal)) return false;
    const std::string_view value = rest.substr(0, size);
    if (part.hole == Hole::kSmaller && ParseInteger(value).value_or(0) >= ParseInteger(before).value_or(0))
      return false;
    if (!part.name.empty() && part.hole != Hole::kSame) values->Add(part.name, value);
    before = value;
    end += size + part.literal.size();
  }
  return !IsPartOfWord(text, at, parts_.back().literal.empty() ? at : end);
}

bool MessageSign::Search(std::string_view text, HoleValues* values) const {
  for (size_t at = text.find(Begin()); at != std::string_view::npos; at = text.find(Begin(), at + 1)) {
    HoleValues found = *values;
    if (!Match(text, at, &found)) continue;
    *values = found;
    return true;
  }
  return false;
}

}  // namespace sparkprof
