// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "base/redaction/characters.h"
#include "base/redaction/rules.h"
#include "base/redaction/secrecy.h"
#include "base/redaction/secret_search.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxPasswordLine = 1024;  // maximum size of a line of .pgpass
constexpr size_t kMaxNear = 4096;          // maximum distance of a Secret's kind from its data, bytes

// Redacts the last of five colon-separated fields in the line.
void RedactPasswordLine(ScannedText* scan, Range line) {
  const std::string_view text = scan->text;
  size_t fields = 1;
  size_t last = line.begin;
  for (size_t i = line.begin; i < line.end; ++i) {
    if (IsSpace(text[i])) return;
    if (text[i] != ':' || (i > line.begin && text[i - 1] == '\\')) continue;
    if (i == last) return;  // an empty field
    ++fields;
    last = i + 1;
  }
  if (fields == 5 && last < line.end) scan->RedactLater({last, line.end});
}

// Whether a Secret's kind is close to `at`, in the same document.
bool IsInSecret(std::string_view text, size_t at) {
  const size_t before = at - std::min(at, kMaxNear);
  std::string_view document = text.substr(before, at - before + kMaxNear);
  size_t begin = document.rfind("\n---", at - before);
  begin = begin == std::string_view::npos ? 0 : begin;
  document = document.substr(begin, document.find("\n---", at - before) - begin);
  for (size_t kind = document.find("kind"); kind != std::string_view::npos; kind = document.find("kind", kind + 4)) {
    size_t value = kind + 4;
    while (IsQuote(CharAt(document, value)) || IsOneOf(CharAt(document, value), ": \\")) ++value;
    if (document.substr(std::min(value, document.size())).starts_with("Secret") &&
        !IsLetter(CharAt(document, value + 6)))
      return true;
  }
  return false;
}

// Redacts the values of members of the object that opens at `at`.
void RedactMembers(ScannedText* scan, size_t at) {
  const std::string_view text = scan->text;
  for (size_t i = at + 1; i < text.size() && i - at < kMaxNear && text[i] != '}';) {
    if (text[i] != ':') {
      ++i;
      continue;
    }
    const size_t value = scan->SkipBlanks(i + 1);
    const Span span = ValueAt(text, value, ValueKind::kPlain);
    if (span.end > span.begin) scan->RedactLater({span.begin, span.end});
    i = std::max(span.behind, i + 1);
  }
}

void RedactLinesBelow(ScannedText* scan, size_t line, size_t indentation) {
  const std::string_view text = scan->text;
  const size_t first = line;
  size_t inner = 0;  // indentation of the keys
  while (line < text.size() && line - first < kMaxNear) {
    const auto [end, next] = LineFrom(text, line);
    const size_t blanks = BlanksAt(text, line);
    if (line + blanks < end) {
      if (blanks <= indentation) break;
      if (inner == 0) inner = blanks;
      const size_t colon = blanks == inner ? text.substr(0, end).find(':', line) : line + blanks - 1;
      size_t value = colon == std::string_view::npos ? end : colon + 1;
      value += BlanksAt(text, value);
      if (value < end && !IsOneOf(text[value], "|>")) {
        const Span span = IsQuote(text[value]) ? ValueAt(text, value, ValueKind::kPlain) : Span{value, end, end};
        scan->RedactLater({span.begin, span.end});
      }
    }
    if (next == end) break;
    line = next;
  }
}

}  // namespace

size_t RedactPasswordFile(ScannedText* scan, size_t at) {
  const std::string_view text = scan->text;
  if (text[at] != ':') {  // the file's name
    size_t line = LineFrom(text, at).next;
    for (int lines = 0; lines < 20 && line < text.size(); ++lines) {
      const auto [end, next] = LineFrom(text, line);
      RedactPasswordLine(scan, {line, end});
      if (next == end) break;
      line = next;
    }
    return at + 1;
  }
  constexpr size_t kMaxHost = 255;
  size_t begin = at;
  while (begin > scan->from && at - begin < kMaxHost && !IsSpace(text[begin - 1]) && !IsQuote(text[begin - 1])) --begin;
  size_t end = at;
  while (end < text.size() && end - at < kMaxPasswordLine && !IsSpace(text[end]) && !IsQuote(text[end])) ++end;
  const std::string_view host = text.substr(begin, at - begin);
  if (host != "*" && std::none_of(host.begin(), host.end(), IsLetter)) return at + 1;
  RedactPasswordLine(scan, {begin, end});
  return at + 1;
}

size_t RedactSecretData(ScannedText* scan, size_t at) {
  const std::string_view text = scan->text;
  if (!scan->BeginsWord(at) && (at < 6 || !HasAt(text, at - 6, "string"))) return at + 1;  // excludes "metadata:"
  const size_t value = scan->SkipBlanks(text.find(':', at) + 1);
  const size_t line_break = LineBreakSize(text, value);
  if (line_break == 0 && scan->At(value) != '{') return at + 1;
  if (!IsInSecret(text, at)) return at + 1;
  if (line_break == 0) {
    RedactMembers(scan, value);
  } else {
    RedactLinesBelow(scan, value + line_break, IndentationAt(text, at));
  }
  return at + 1;
}

size_t RedactValueBeforeName(ScannedText* scan, size_t at) {
  constexpr size_t kMaxBetween = 64;
  const std::string_view text = scan->text.substr(0, at + kMaxNear);
  const size_t value = scan->SkipBlanks(text.find(':', at) + 1);
  if (value >= text.size()) return at + 1;
  const Span span = ValueAt(text, value, ValueKind::kPlain);
  if (span.end == span.begin) return at + 1;
  size_t name = span.behind;
  while (name < text.size() && name - span.behind < kMaxBetween) {
    if (const size_t size = LineBreakSize(text, name); size > 0) {
      name += size;
    } else if (IsBlank(text[name]) || text[name] == ',' || IsQuote(UnitAt(text, name).character)) {
      name += UnitAt(text, name).size;
    } else {
      break;
    }
  }
  if (!HasAt(text, name, "name")) return at + 1;
  name += 4;
  while (IsQuote(UnitAt(text, name).character)) name += UnitAt(text, name).size;
  name = scan->SkipBlanks(name);
  if (scan->At(name) != ':') return at + 1;
  const Span named = ValueAt(text, scan->SkipBlanks(name + 1), ValueKind::kPlain);
  const Secrecy secrecy = SecrecyOf(text.substr(named.begin, named.end - named.begin));
  if (!IsHarmless(text.substr(span.begin, span.end - span.begin), secrecy)) scan->RedactLater({span.begin, span.end});
  return at + 1;
}

}  // namespace sparkprof::redaction
