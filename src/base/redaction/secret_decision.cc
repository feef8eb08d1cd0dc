// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/secret_decision.h"

#include <algorithm>
#include <string>

#include "base/redaction/characters.h"
#include "base/redaction/secret_value.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxName = 200;

// In "NAME=VALUE" the value goes to the closing quote, unless another assignment is between them.
void ExtendToQuote(const ScannedText& scan, size_t quote, Span* span) {
  const std::string_view text = scan.text;
  if (quote == std::string_view::npos || span->behind != span->end || !IsBlank(scan.At(span->end))) return;
  const size_t limit = std::min(text.size(), span->end + kMaxName);
  const size_t end = QuotesEnd(text.substr(0, limit), quote, span->end);
  if (end == std::string_view::npos) return;
  const std::string_view rest = text.substr(span->end, end - span->end);
  if (rest.find('=') != std::string_view::npos || rest.find(':') != std::string_view::npos ||
      rest.find(" -") != std::string_view::npos) {
    return;
  }
  span->end = end;
  span->behind = end;
}

// "Token: expired at 12:00" is a sentence: a word without digits, and another word behind it.
bool IsSentence(const ScannedText& scan, const Span& span) {
  const std::string_view text = scan.text;
  const std::string_view value = text.substr(span.begin, span.end - span.begin);
  if (value.size() > 20 || span.behind != span.end || scan.At(span.end) != ' ' || !IsLetter(scan.At(span.end + 1)))
    return false;
  return IsLetter(value.front()) && std::all_of(value.begin() + 1, value.end(), IsLower);
}

bool IsDirectoryVariable(std::string_view name) { return name == "PWD" || name == "OLDPWD"; }

// "Bearer X" without quotes: the scheme is not the value.
void ExtendScheme(const ScannedText& scan, Span* span) {
  const std::string_view text = scan.text;
  const std::string_view value = text.substr(span->begin, span->end - span->begin);
  if (span->behind != span->end || scan.At(span->end) != ' ' || value.size() > 16) return;
  std::string lower(value);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  if (!Rules::Get().schemes.contains(lower)) return;
  *span = ValueAt(text, scan.SkipBlanks(span->end), ValueKind::kPlain);
}

bool IsPasswordName(std::string_view name) {
  return FindIgnoringCase(name, "pass") != std::string_view::npos ||
         FindIgnoringCase(name, "pwd") != std::string_view::npos;
}

// "the password hunter2", "password is hunter2": at least six characters with a letter and a digit.
size_t RedactPassword(ScannedText* scan, size_t value, size_t next) {
  const std::string_view text = scan->text;
  size_t end = value;
  bool has_letter = false;
  bool has_digit = false;
  while (end < text.size() && !IsSpace(text[end]) && !IsQuote(text[end]) && !IsOneOf(text[end], ",;()<>=\\")) {
    has_letter = has_letter || IsLetter(text[end]);
    has_digit = has_digit || IsDigit(text[end]);
    ++end;
  }
  if (end < value + 6 || !has_letter || !has_digit || scan->At(end) == '=' || scan->At(end) == '(') return next;
  return scan->Redact(value, end);
}

// A value that only its looks make a secret.
size_t RedactKey(ScannedText* scan, size_t value, size_t next) {
  const std::string_view text = scan->text;
  const Unit quote = UnitAt(text, value);
  const size_t begin = quote.size > 0 && IsQuote(quote.character) ? value + quote.size : value;
  size_t end = begin;
  while (end < text.size() && (IsAlnum(text[end]) || IsOneOf(text[end], "+/=_-.%"))) ++end;
  while (end > begin && text[end - 1] == '.') --end;
  const Unit after = UnitAt(text, end);
  if (begin > value && !IsQuote(after.character)) return next;
  if (end < text.size() && !IsQuote(after.character) && !IsSpace(text[end]) && !IsOneOf(text[end], ",;)]}.&<\\\"'")) {
    return next;
  }
  if (IsHarmless(text.substr(begin, end - begin), Secrecy::kMaybe)) return next;
  return scan->Redact(begin, end);
}

}  // namespace

size_t RedactAssigned(ScannedText* scan, const AssignedValue& found, size_t quote_before, std::string_view name,
                      Secrecy secrecy, size_t next) {
  const std::string_view text = scan->text;
  if (secrecy == Secrecy::kMaybe) return RedactKey(scan, found.value, next);
  const Unit quote = UnitAt(text, found.value);
  const bool is_quoted = quote.size > 0 && IsQuote(quote.character);
  if (found.link == Link::kApart && secrecy == Secrecy::kStrong && !is_quoted && IsPasswordName(name)) {
    return RedactPassword(scan, found.value, next);
  }
  if (found.link == Link::kApart && (secrecy == Secrecy::kWeak || !is_quoted))
    return RedactKey(scan, found.value, next);
  if (scan->IsRedactedAt(found.value)) return scan->SkipRedacted(found.value);
  if (is_quoted && scan->IsRedactedAt(found.value + quote.size)) return scan->SkipRedacted(found.value + quote.size);
  Span span = ValueAt(text, found.value, found.kind);
  if (scan->IsRedactedAt(span.begin)) return scan->SkipRedacted(span.begin);
  ExtendScheme(*scan, &span);
  if (!is_quoted && found.link == Link::kAssigned) ExtendToQuote(*scan, quote_before, &span);
  const std::string_view value = text.substr(span.begin, span.end - span.begin);
  if (IsHarmless(value, secrecy)) return next;
  if (IsDirectoryVariable(name) && value.starts_with('/')) return next;
  if (found.link == Link::kProse && secrecy == Secrecy::kWeak && IsSentence(*scan, span)) return next;
  if (value.starts_with("--")) return next;
  scan->Redact(span.begin, span.end);
  return span.end;
}

size_t RedactIdentifiedBy(ScannedText* scan, size_t behind) {
  const std::string_view text = scan->text;
  const size_t value = scan->SkipBlanks(behind);
  if (value == behind || value >= text.size() || HasAt(text, value, "password ")) return behind;
  const Span span = ValueAt(text, value, ValueKind::kPlain);
  if (scan->IsRedactedAt(span.begin)) return scan->SkipRedacted(span.begin);
  if (IsHarmless(text.substr(span.begin, span.end - span.begin), Secrecy::kStrong)) return behind;
  scan->Redact(span.begin, span.end);
  return span.end;
}

}  // namespace sparkprof::redaction
