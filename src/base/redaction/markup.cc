// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "base/redaction/characters.h"
#include "base/redaction/secrecy.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxTag = 1024;

// The position after the tag at `at`; npos if there is none.
size_t SkipTag(const ScannedText& scan, size_t at) {
  const std::string_view text = scan.text;
  if (UnitAt(text, at).character != '<') return std::string_view::npos;
  const size_t limit = std::min(text.size(), at + kMaxTag);
  for (size_t i = at; i < limit; ++i) {
    const Unit unit = UnitAt(text, i);
    if (unit.character == '>') return i + unit.size;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<size_t> FindSibling(const ScannedText& scan, size_t at) {
  const std::string_view text = scan.text;
  if (scan.At(at) == ',') at = scan.SkipBlanks(at + 1);
  while (IsSpace(scan.At(at)) && at < text.size()) ++at;
  Unit quote = UnitAt(text, at);
  if (IsQuote(quote.character)) at += quote.size;
  if (!HasAt(text, at, "value")) return {};
  at += 5;
  quote = UnitAt(text, at);
  if (IsQuote(quote.character)) at += quote.size;
  at = scan.SkipBlanks(at);
  const Unit equals = UnitAt(text, at);
  if (equals.character != '=' && equals.character != ':') return {};
  return scan.SkipBlanks(at + equals.size);
}

std::optional<size_t> FindInTags(const ScannedText& scan, size_t begin, size_t end) {
  const std::string_view text = scan.text;
  const Unit unit = UnitAt(text, end);
  if (unit.character == '>') {
    const char before = scan.Before(begin);
    if (before == '<' || before == ':' || before == ';') return end + unit.size;
    return {};
  }
  if (IsSpace(scan.At(end)) && scan.Before(begin) == '<') {
    size_t at = end;
    while (at < text.size() && at - end < kMaxTag && !IsOneOf(text[at], "<>\n")) ++at;
    if (scan.At(at) == '>' && scan.At(at - 1) != '/' &&
        text.substr(end, at - end).find('=') != std::string_view::npos &&
        FindIgnoringCase(text.substr(end, at - end), "value") == std::string_view::npos) {
      return at + 1;
    }
    return {};
  }
  if (unit.character != '<' || scan.At(end + unit.size) != '/') return {};
  size_t at = SkipTag(scan, end);
  if (at == std::string_view::npos) return {};
  while (at < text.size() && (IsSpace(text[at]) || (text[at] == '\\' && IsOneOf(scan.At(at + 1), "nrt")))) {
    at += text[at] == '\\' ? 2 : 1;
  }
  at = SkipTag(scan, at);
  if (at == std::string_view::npos || scan.At(at) == '<') return {};
  return at;
}

size_t RedactToTag(ScannedText* scan, size_t value, Secrecy secrecy, size_t next) {
  const std::string_view text = scan->text;
  size_t begin = value;
  size_t end = value;
  if (HasAt(text, value, "<![cdata[")) {
    begin = value + 9;
    end = std::min(text.find("]]>", begin), text.size());
  } else {
    while (end < text.size() && text[end] != '<' && !HasAt(text, end, "&lt;") && !HasAt(text, end, "\\u003c")) {
      ++end;
    }
    while (begin < end && IsSpace(text[begin])) ++begin;
    while (end > begin && IsSpace(text[end - 1])) --end;
  }
  if (scan->IsRedactedAt(begin)) return scan->SkipRedacted(begin);
  if (IsHarmless(text.substr(begin, end - begin), secrecy)) return next;
  return scan->Redact(begin, end);
}

}  // namespace sparkprof::redaction
