// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/assigned_value.h"

#include <algorithm>
#include <string_view>

#include "base/redaction/characters.h"
#include "base/redaction/markup.h"

namespace sparkprof::redaction {
namespace {

// Behind the name's closing quote, and bracket: "name", \"name\", ['name'].
size_t SkipClosing(const ScannedText& scan, size_t at, bool* is_quoted) {
  const std::string_view text = scan.text;
  const Unit unit = UnitAt(text, at);
  *is_quoted = unit.size > 0 && IsQuote(unit.character);
  const std::string_view quote = text.substr(std::min(at, text.size()), unit.size);
  for (int count = 0; *is_quoted && count < 3 && text.substr(std::min(at, text.size())).starts_with(quote); ++count) {
    at += unit.size;
  }
  if (scan.At(at) == ']') ++at;
  return at;
}

// = : => := -> == and their encodings, with blanks around.
std::optional<AssignedValue> FindAssigned(const ScannedText& scan, size_t at, ValueKind kind) {
  const std::string_view text = scan.text;
  Unit unit = UnitAt(text, at);
  if (unit.size == 0) return {};
  size_t behind = at;
  bool is_colon = false;
  if (unit.character == '-' || unit.character == '<') {  // -> and the SQL operator <=>
    const Unit second = UnitAt(text, at + 1);
    if (unit.character == '<' && (unit.size > 1 || second.character != '=')) return {};
    if (unit.character == '-' && second.character != '>') return {};
    behind = at + 1 + second.size;
    if (scan.At(behind) == '>') ++behind;
  } else if (unit.character == '=' || unit.character == ':') {
    is_colon = unit.character == ':';
    if (is_colon && scan.At(at + unit.size) == ':') return {};  // password::string, Token::parse
    if (unit.size > 1 && kind == ValueKind::kPlain && text[at] == '%') kind = ValueKind::kEncoded;
    behind = at + unit.size;
    if (scan.At(behind) == '=') ++behind;
    const Unit arrow = UnitAt(text, behind);
    if (arrow.character == '>' && unit.character == '=') behind += arrow.size;
  } else {
    return {};
  }
  if (is_colon && scan.At(behind) == '/' && scan.At(behind + 1) == '/') return {};
  size_t value = scan.SkipBlanks(behind);
  const bool is_prose = is_colon && value > behind;
  if (value < text.size() && (text[value] == '\n' || text[value] == '\r')) {
    // On the next line only what is quoted.
    while (value < text.size() && IsSpace(text[value])) ++value;
    if (!IsQuote(scan.At(value))) return {};
  }
  if (value >= text.size()) return {};
  return AssignedValue{value, is_prose ? Link::kProse : Link::kAssigned, kind};
}

// ("name", "X"), ["name", "X"], ["--name", "X"]: `begin` is the name's, behind its quote.
bool IsArgument(const ScannedText& scan, size_t begin, size_t value) {
  const std::string_view text = scan.text;
  size_t at = begin;
  while (at > scan.from && (IsQuote(text[at - 1]) || text[at - 1] == '\\')) --at;
  while (at > scan.from && IsBlank(text[at - 1])) --at;
  if (scan.Before(at) != '(' && scan.Before(at) != '[') return false;
  const Unit quote = UnitAt(text, value);
  if (!IsQuote(quote.character)) return !IsOneOf(scan.At(value), ")]") && scan.Before(at) == '(';
  const Span span = ValueAt(text, value, ValueKind::kPlain);
  const size_t behind = scan.SkipBlanks(span.behind);
  return behind >= text.size() || IsOneOf(scan.At(behind), ")]\n\\");
}

}  // namespace

std::optional<AssignedValue> FindAssignedValue(const ScannedText& scan, size_t begin, size_t end, bool is_option,
                                               bool is_parameter, Secrecy secrecy) {
  const std::string_view text = scan.text;
  size_t at = end;
  if (scan.At(at) == '#' && IsDigit(scan.At(at + 1))) {  // an attribute of a plan: password#12
    ++at;
    while (IsDigit(scan.At(at))) ++at;
    if (scan.At(at) == 'L') ++at;
  }
  if (const std::optional<size_t> in_tag = FindInTags(scan, begin, at)) return AssignedValue{*in_tag, {}, {}, true};
  bool is_quoted = false;
  const size_t closed = SkipClosing(scan, at, &is_quoted);
  const size_t blank = scan.SkipBlanks(closed);
  const ValueKind kind = secrecy == Secrecy::kHeader ? ValueKind::kHeader
                         : is_parameter              ? ValueKind::kUrl
                                                     : ValueKind::kPlain;
  if (const std::optional<size_t> value = FindSibling(scan, blank)) return AssignedValue{*value, Link::kAssigned, kind};
  if (const std::optional<AssignedValue> assigned = FindAssigned(scan, blank, kind)) return assigned;
  if (scan.At(blank) == ',') {
    const size_t value = scan.SkipBlanks(blank + 1);
    if (is_option || (is_quoted && IsArgument(scan, begin, value))) return AssignedValue{value, Link::kAssigned, kind};
    if (!is_quoted && scan.Before(begin) == '(' && value == blank + 1 && scan.At(end) == ',') {
      return AssignedValue{value, Link::kAssigned, kind};
    }
    return {};
  }
  if (blank == closed || blank >= text.size()) return {};
  if (is_option) return AssignedValue{blank, Link::kAssigned, kind};
  for (const std::string_view word : {"is ", "was ", "are ", "to "}) {
    if (HasAt(text, blank, word)) return AssignedValue{blank + word.size(), Link::kApart, kind};
  }
  return AssignedValue{blank, Link::kApart, kind};
}

}  // namespace sparkprof::redaction
