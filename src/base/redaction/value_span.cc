// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/value_span.h"

#include <algorithm>
#include <utility>

#include "base/redaction/characters.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxBrackets = 1024;
constexpr size_t kNotClosed = std::string_view::npos;

// Whether a quote at this position may close a value.
bool IsBehindValue(std::string_view text, size_t at) {
  if (at >= text.size()) return true;
  const char c = text[at];
  if (IsSpace(c) || IsOneOf(c, ",;)]}>:&|\\<=%#")) return true;
  return c == '.' && (at + 1 >= text.size() || !IsAlnum(text[at + 1]));
}

// Finds the end of the quotes at `at` (a unit, `count` times), searching from `from`. Returns the end of the content
// and of the quotes; the latter is kNotClosed if they do not close.
std::pair<size_t, size_t> CloseQuotes(std::string_view text, size_t at, const Unit& quote, size_t count, size_t from) {
  const std::string_view opening = text.substr(at, quote.size);
  const bool is_escaped = opening.front() == '\\' && opening.back() == quote.character;
  const bool is_plain = is_escaped || opening.size() == 1;
  const size_t backslashes = is_escaped ? opening.size() - 1 : 0;
  size_t i = from;
  while (i < text.size()) {
    if (text[i] == '\n' && count != 3 && (i == from || text[i - 1] != '\\')) return {i, kNotClosed};
    if (!is_plain) {
      if (text.substr(i, opening.size()) == opening) return {i, i + opening.size()};
      ++i;
      continue;
    }
    const size_t end = SkipBackslashes(text, i);
    const size_t run = end - i;
    const char c = CharAt(text, end);
    if (end >= text.size()) return {end, kNotClosed};
    if (IsQuote(c) && run < backslashes) return {i, kNotClosed};  // the surrounding quote closes
    if (c == quote.character && (run - backslashes) % (2 * (backslashes + 1)) == 0) {
      const size_t begin = end - backslashes;
      size_t closed = begin;
      size_t found = 0;
      while (found < count && text.substr(closed, opening.size()) == opening) {
        closed += opening.size();
        ++found;
      }
      if (found == count) return {begin, closed};
      i = closed;
      continue;
    }
    i = run > 0 && c != quote.character ? end : end + 1;
  }
  return {text.size(), kNotClosed};
}

// Position after the bracket that closes the one at `at` on the same line; kNotClosed if there is none. The end of the
// line if the bracket does not close within kMaxBrackets.
size_t CloseBracket(std::string_view text, size_t at) {
  size_t depth = 0;
  const size_t limit = std::min(text.size(), at + kMaxBrackets);
  size_t i = at;
  for (; i < limit && text[i] != '\n'; ++i) {
    if (IsOneOf(text[i], "([{")) ++depth;
    if (IsOneOf(text[i], ")]}") && --depth == 0) return i + 1;
  }
  return i == limit && i < text.size() ? std::min(text.find('\n', i), text.size()) : kNotClosed;
}

size_t HeaderEnd(std::string_view text, size_t at) {
  size_t i = at;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == '\r' || IsOneOf(c, "]}")) break;
    if (IsQuote(c) || c == '\\') {
      const Unit unit = UnitAt(text, i);
      if (IsQuote(unit.character) && IsBehindValue(text, i + unit.size)) break;
      if (c == '\\' && IsOneOf(CharAt(text, SkipBackslashes(text, i)), "nr")) break;
    }
  }
  while (i > at && IsBlank(text[i - 1])) --i;
  return i;
}

size_t BareEnd(std::string_view text, size_t at, ValueKind kind) {
  size_t i = at;
  while (i < text.size()) {
    const char c = text[i];
    if (IsSpace(c)) break;
    if (IsOneOf(c, "([{")) {
      const size_t closed = CloseBracket(text, i);
      i = closed == kNotClosed ? i + 1 : closed;
      continue;
    }
    if (IsOneOf(c, ")]}")) {
      if (IsBehindValue(text, i + 1) || IsQuote(CharAt(text, i + 1))) break;
    } else if (c == ',' || c == ';') {
      const char next = CharAt(text, i + 1);
      if (i + 1 >= text.size() || IsSpace(next) || IsQuote(next) ||
          (next == '\\' && ContinuationSize(text, i + 1) == 0) || IsOneOf(next, "([{)]}<%&") ||
          IsAssignment(text, i + 1)) {
        break;
      }
    } else if (c == '&') {
      if (kind == ValueKind::kUrl || IsEntityAt(text, i) || i + 1 >= text.size() || CharAt(text, i + 1) == '&' ||
          IsSpace(CharAt(text, i + 1)) || IsAssignment(text, i + 1)) {
        break;
      }
    } else if (c == '#') {
      if (kind == ValueKind::kUrl) break;
    } else if (c == '<') {
      const char next = CharAt(text, i + 1);
      if (next == '/' || next == '!' || IsLetter(next)) break;
    } else if (c == '>' || c == '|') {
      if (i + 1 >= text.size() || IsSpace(CharAt(text, i + 1))) break;
    } else if (c == '%') {
      const char unit = UnitAt(text, i).character;
      if (kind == ValueKind::kEncoded && IsOneOf(unit, "&\"',;)]}")) break;
      if (kind == ValueKind::kEncoded && (HasAt(text, i, "%20") || HasAt(text, i, "%0"))) break;
      if (IsOneOf(unit, "\"'") && i > at && IsBehindValue(text, i + UnitAt(text, i).size)) break;
    } else if (IsQuote(c) || c == '\\') {
      if (const size_t joined = ContinuationSize(text, i); joined > 0) {
        size_t next = i + joined;
        while (IsBlank(CharAt(text, next))) ++next;
        if (next >= text.size() || text[next] == '-' || IsSpace(text[next])) break;
        i = next;
        continue;
      }
      const Unit unit = UnitAt(text, i);
      if (IsQuote(unit.character)) {
        if (c == '\\' || IsBehindValue(text, i + 1) || IsQuote(CharAt(text, i + 1))) break;
        const auto [content, closed] = CloseQuotes(text, i, unit, 1, i + unit.size);
        i = closed == kNotClosed ? content : closed;
        continue;
      }
      if (unit.size > 1 && IsOneOf(unit.character, "&<>=")) break;
      if (unit.size == 1) {
        const size_t end = SkipBackslashes(text, i);
        if (IsOneOf(CharAt(text, end), "nrt")) break;
        i = std::min(end + 1, text.size());
        continue;
      }
    }
    ++i;
  }
  return i;
}

// Whether text directly follows a closing quote: 'it'\''s', 'it''s', "ab"cd.
bool GoesOn(std::string_view text, size_t at, char quote) {
  if (at >= text.size()) return false;
  if (text[at] == quote) return true;
  if (text[at] == '\\') return CharAt(text, at + 1) == quote && CharAt(text, at + 2) == quote;
  if (IsQuote(text[at])) return CharAt(text, at + 1) == quote && CharAt(text, at + 2) == text[at];
  return !IsBehindValue(text, at) && !IsOneOf(text[at], "/@");
}

// If a value's quote does not close on its line, extends the value to the quote on one of the next lines, unless
// another assignment precedes it.
Span OnFurtherLines(std::string_view text, Span span, const Unit& quote) {
  constexpr size_t kMaxBytes = 2000;
  if (quote.size != 1 || CharAt(text, span.end) != '\n') return span;
  const std::string_view near = text.substr(0, span.end + kMaxBytes);
  const size_t stop = near.find_first_of("\"'`=:", span.end);
  if (stop == std::string_view::npos || near[stop] != quote.character || !IsBehindValue(text, stop + 1)) return span;
  return {span.begin, stop, stop + 1};
}

}  // namespace

bool IsAssignment(std::string_view text, size_t at) {
  size_t end = at;
  const auto is_of_name = [](char c) { return IsAlnum(c) || IsOneOf(c, "._-") || static_cast<signed char>(c) < 0; };
  while (end < text.size() && end - at < 200 && is_of_name(text[end])) ++end;
  if (end == at) return false;
  const Unit next = UnitAt(text, end);
  return next.character == '=' || next.character == ':' || (CharAt(text, end) == ' ' && CharAt(text, end + 1) == '=') ||
         (CharAt(text, end) == ' ' && CharAt(text, end + 1) == '-' && CharAt(text, end + 2) == '>');
}

size_t QuotesEnd(std::string_view text, size_t quote, size_t from) {
  const auto [end, closed] = CloseQuotes(text, quote, UnitAt(text, quote), 1, from);
  return closed == kNotClosed ? kNotClosed : end;
}

Span ValueAt(std::string_view text, size_t at, ValueKind kind) {
  // String prefixes: r"…", b'…', N'…', s"""…"""
  size_t begin = at;
  while (begin < at + 2 && IsLetter(CharAt(text, begin))) ++begin;
  if (begin > at && !IsQuote(CharAt(text, begin))) begin = at;
  const Unit quote = UnitAt(text, begin);
  if (quote.size == 0 || !IsQuote(quote.character)) {
    if (HasAt(text, at, "<![cdata[")) {
      const size_t content = at + 9;
      const size_t end = std::min(text.find("]]>", content), text.size());
      return {content, end, std::min(end + 3, text.size())};
    }
    if (kind == ValueKind::kHeader && !IsOneOf(CharAt(text, at), "[{(")) {
      const size_t end = HeaderEnd(text, at);
      return {at, end, end};
    }
    const size_t end = BareEnd(text, at, kind);
    return {at, end, end};
  }
  size_t count = 1;
  while (text.substr(begin + count * quote.size, quote.size) == text.substr(begin, quote.size)) ++count;
  const size_t content = begin + count * quote.size;  // after the opening quotes
  const bool is_empty = content >= text.size() || IsSpace(text[content]) || IsOneOf(text[content], ",;)]}>&|\\");
  if (count % 2 == 0 && is_empty) return {content, content, content};
  if (count > 3) count = 3;
  const auto [end, closed] = CloseQuotes(text, begin, quote, count, begin + count * quote.size);
  if (closed == kNotClosed) return OnFurtherLines(text, {content, end, end}, quote);
  Span span = {begin + count * quote.size, end, closed};
  if (count > 1 || quote.size > 1) return span;
  while (GoesOn(text, span.behind, quote.character)) {
    if (text[span.behind] == quote.character) {
      const auto [next_end, next_closed] = CloseQuotes(text, span.behind, quote, 1, span.behind + quote.size);
      span.end = next_end;
      span.behind = next_closed == kNotClosed ? next_end : next_closed;
      if (next_closed == kNotClosed) break;
    } else {
      const size_t escaped = text[span.behind] == '\\' ? 2 : IsQuote(text[span.behind]) ? 3 : 0;
      span.end = escaped > 0 ? span.behind + escaped : BareEnd(text, span.behind, kind);
      if (span.end == span.behind) break;
      span.behind = span.end;
    }
  }
  return span;
}

}  // namespace sparkprof::redaction
