// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "base/redaction/assignment.h"
#include "base/redaction/characters.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {
namespace {

// Position after the name's closing quote and bracket: "name", \"name\", ['name'].
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

// Position after newlines at `at`, including escaped ones, and the spaces around them; `at` if there is none.
size_t SkipNewlines(const ScannedText& scan, size_t at) {
  const std::string_view text = scan.text;
  bool has_newline = false;
  size_t end = at;
  while (end < text.size()) {
    const size_t letter = SkipBackslashes(text, end);
    if (letter > end && IsOneOf(CharAt(text, letter), "nr")) {
      has_newline = true;
      end = letter + 1;
    } else if (IsSpace(text[end])) {
      has_newline = has_newline || text[end] == '\n' || text[end] == '\r';
      ++end;
    } else {
      break;
    }
  }
  return has_newline ? end : at;
}

// Whether the line of a name is source code: "if token:".
bool IsCode(const ScannedText& scan, size_t name) {
  constexpr size_t kMaxCode = 200;
  constexpr std::string_view kKeywords[] = {"if ",   "elif ", "for ",  "while ", "with ",   "except ",
                                            "case ", "def ",  "when ", "class ", "return ", "} else if "};
  size_t begin = name;
  while (begin > 0 && name - begin < kMaxCode && scan.text[begin - 1] != '\n') --begin;
  begin = scan.SkipBlanks(begin);
  return std::any_of(std::begin(kKeywords), std::end(kKeywords),
                     [&](std::string_view keyword) { return HasAt(scan.text, begin, keyword); });
}

// Whether the value takes up its whole line and is neither a name nor a bracket. For a name that is not strong, it must
// have a letter and a digit.
bool IsLine(const ScannedText& scan, size_t value, Secrecy secrecy) {
  const std::string_view text = scan.text;
  if (value >= text.size() || IsOneOf(text[value], "{}[]()<>|#=:,;-\"'`\\")) return false;
  const Span span = ValueAt(text, value, ValueKind::kPlain);
  if (span.end == value || IsOneOf(text[span.end - 1], ":{[(,=") || IsAssignment(text, value)) return false;
  const std::string_view word = text.substr(span.begin, span.end - span.begin);
  if (secrecy != Secrecy::kStrong &&
      (std::none_of(word.begin(), word.end(), IsLetter) || std::none_of(word.begin(), word.end(), IsDigit))) {
    return false;
  }
  const size_t blank = scan.SkipBlanks(span.end);
  return blank >= text.size() || IsQuote(UnitAt(text, blank).character) || SkipNewlines(scan, blank) > blank;
}

// Matches = : => := -> == and their encodings, surrounded by spaces.
std::optional<AssignedValue> FindAssigned(const ScannedText& scan, size_t at, ValueKind kind, Secrecy secrecy) {
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
  if (const size_t line = SkipNewlines(scan, value); line > value) {
    // On the next line, only a value in quotes or alone on the line counts.
    value = line;
    if (!IsQuote(scan.At(value)) && (IsCode(scan, at) || !IsLine(scan, value, secrecy))) return {};
  }
  if (value >= text.size()) return {};
  return AssignedValue{value, is_prose ? Link::kProse : Link::kAssigned, kind};
}

// Matches ("name", "X"), ["name", "X"], ["--name", "X"]. `begin` is the start of the name, after its quote.
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

bool IsWord(std::string_view name) { return std::all_of(name.begin(), name.end(), IsLetter); }

// Matches |spark.x.password|X| in Spark's table output; only for settings, because a column may be named like a secret.
std::optional<size_t> FindInTable(const ScannedText& scan, size_t begin, size_t end, size_t blank) {
  const std::string_view text = scan.text;
  if (scan.At(blank) != '|' || text.substr(begin, end - begin).find('.') == std::string_view::npos) return {};
  size_t before = begin;
  while (before > scan.from && IsBlank(text[before - 1])) --before;
  if (scan.Before(before) != '|') return {};
  const size_t value = scan.SkipBlanks(blank + 1);
  return value < text.size() && text[value] != '|' ? std::optional<size_t>(value) : std::nullopt;
}

// Matches SET PASSWORD FOR user = X.
std::optional<size_t> FindBehindUser(const ScannedText& scan, size_t at) {
  constexpr size_t kMaxUser = 128;
  const std::string_view text = scan.text;
  if (!HasAt(text, at, "for ")) return {};
  const size_t equals = text.substr(0, at + kMaxUser).find('=', at);
  if (equals == std::string_view::npos || text.substr(at, equals - at).find_first_of(";\n") != std::string_view::npos)
    return {};
  return scan.SkipBlanks(equals + 1);
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
  if (const std::optional<AssignedValue> assigned = FindAssigned(scan, blank, kind, secrecy)) return assigned;
  if (const std::optional<size_t> value = FindInTable(scan, begin, end, blank)) {
    return AssignedValue{*value, Link::kAssigned, kind};
  }
  if (scan.At(blank) == ',') {
    const size_t value = scan.SkipBlanks(blank + 1);
    if (is_option || (is_quoted && IsArgument(scan, begin, value))) return AssignedValue{value, Link::kAssigned, kind};
    if (!is_quoted && scan.Before(begin) == '(' && value == blank + 1 && scan.At(end) == ',') {
      return AssignedValue{value, Link::kAssigned, kind};
    }
    return {};
  }
  // password('X')
  if (scan.At(blank) == '(' && !is_quoted && secrecy == Secrecy::kStrong && IsWord(text.substr(begin, end - begin)) &&
      IsQuote(UnitAt(text, blank + 1).character)) {
    return AssignedValue{blank + 1, Link::kAssigned, kind};
  }
  if (blank == closed || blank >= text.size()) return {};
  if (is_option) return AssignedValue{blank, Link::kAssigned, kind};
  const bool is_password = end - begin == 8 && HasAt(text, begin, "password");
  if (const std::optional<size_t> value = is_password ? FindBehindUser(scan, blank) : std::nullopt) {
    return AssignedValue{*value, Link::kAssigned, kind};
  }
  for (const std::string_view word : {"is ", "was ", "are ", "to "}) {
    if (HasAt(text, blank, word)) return AssignedValue{blank + word.size(), Link::kApart, kind};
  }
  return AssignedValue{blank, Link::kApart, kind};
}

}  // namespace sparkprof::redaction
