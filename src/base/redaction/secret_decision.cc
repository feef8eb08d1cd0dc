// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "base/redaction/assignment.h"
#include "base/redaction/characters.h"
#include "base/redaction/secrecy.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxDecidedValue = 4096;

// In "NAME=VALUE" the value extends to the closing quote, unless another assignment is in between.
void ExtendToQuote(const ScannedText& scan, size_t quote, Span* span) {
  const std::string_view text = scan.text;
  if (quote == std::string_view::npos || span->behind != span->end || !IsBlank(scan.At(span->end))) return;
  const size_t limit = std::min(text.size(), span->end + kMaxDecidedValue);
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

// "Token: expired at 12:00" is a sentence: a word without digits followed by another word.
bool IsSentence(const ScannedText& scan, const Span& span) {
  const std::string_view text = scan.text;
  const std::string_view value = text.substr(span.begin, span.end - span.begin);
  if (value.size() > 20 || span.behind != span.end || scan.At(span.end) != ' ' || !IsLetter(scan.At(span.end + 1)))
    return false;
  return IsLetter(value.front()) && std::all_of(value.begin() + 1, value.end(), IsLower);
}

bool IsDirectoryVariable(std::string_view name) { return name == "PWD" || name == "OLDPWD"; }

// In "Bearer X" without quotes, the scheme is not the value.
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

// Redacts "the password hunter2", "password is hunter2": at least six characters with a letter and a digit.
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
  if (Utf16Size(text.substr(value, end - value)) < 6 || !has_letter || !has_digit || scan->At(end) == '=' ||
      scan->At(end) == '(')
    return next;
  return scan->Redact(value, end);
}

// Size of a string prefix: E'X', N'X', U&'X', r"X".
size_t StringPrefix(std::string_view text, size_t at) {
  size_t size = 0;
  while (size < 2 && IsLetter(CharAt(text, at + size))) ++size;
  if (size == 1 && CharAt(text, at + 1) == '&') size = 2;
  return size > 0 && IsQuote(UnitAt(text, at + size).character) ? size : 0;
}

// PostgreSQL's $$X$$ and $tag$X$tag$.
std::optional<Range> DollarQuoted(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (IsAlnum(CharAt(text, end)) || CharAt(text, end) == '_') ++end;
  if (CharAt(text, at) != '$' || CharAt(text, end) != '$') return {};
  const std::string_view tag = text.substr(at, end + 1 - at);
  const size_t close = text.substr(0, at + kMaxDecidedValue).find(tag, end + 1);
  if (close == std::string_view::npos || close == end + 1) return {};
  return Range{end + 1, close};
}

// Redacts a value separated from its setting by spaces, as in spark-defaults.conf: alone on its line, or at least six
// characters with a letter and a digit.
size_t RedactProperty(ScannedText* scan, std::string_view name, size_t value, Secrecy secrecy, size_t next) {
  const std::string_view text = scan->text;
  const Span span = ValueAt(text, value, ValueKind::kPlain);
  const std::string_view content = text.substr(span.begin, span.end - span.begin);
  if (content.empty() || IsOneOf(content.front(), "=:<>|-(){}[],;")) return next;
  if (IsHarmless(content, secrecy) || IsHarmless(content, Secrecy::kWeak)) return next;
  if (scan->IsRedactedAt(span.begin)) return scan->SkipRedacted(span.begin);
  const auto has = [&](auto is) { return std::any_of(content.begin(), content.end(), is); };
  size_t before = static_cast<size_t>(name.data() - text.data());
  while (before > scan->from && IsBlank(text[before - 1])) --before;
  const bool begins_line = scan->Before(before) == '\n' || before == 0;
  const size_t behind = scan->SkipBlanks(span.behind);
  const bool is_line = begins_line && (behind >= text.size() || text[behind] == '\n' || text[behind] == '\r');
  if (!is_line && (Utf16Size(content) < 6 || !has(IsLetter) || !has(IsDigit))) return next;
  return scan->Redact(span.begin, span.end);
}

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

// Position after YAML's "!!str " and "&anchor ".
size_t BehindProperties(const ScannedText& scan, size_t value) {
  while (scan.At(value) == '&' || scan.At(value) == '!') {
    size_t end = value + 1;
    while (IsAlnum(scan.At(end)) || IsOneOf(scan.At(end), "!_-")) ++end;
    const size_t next = scan.SkipBlanks(end);
    if (next == end || next >= scan.text.size() || LineBreakSize(scan.text, next) > 0) break;
    value = next;
  }
  return value;
}

// Finds the password in "a.auth=joe:X", but not in host:port or a URL.
std::optional<Range> PasswordBehindUser(std::string_view text, std::string_view name, const AssignedValue& found) {
  constexpr size_t kAuth = 4;
  if (found.link == Link::kApart || name.size() < kAuth || !HasAt(name, name.size() - kAuth, "auth"))
    return std::nullopt;
  const Span span = ValueAt(text, found.value, found.kind);
  const size_t colon = text.substr(0, span.end).find(':', span.begin);
  if (colon == std::string_view::npos || colon == span.begin || colon + 1 >= span.end) return std::nullopt;
  const std::string_view user = text.substr(span.begin, colon - span.begin);
  const std::string_view password = text.substr(colon + 1, span.end - colon - 1);
  const bool is_user = std::all_of(user.begin(), user.end(), [](char c) { return IsAlnum(c) || IsOneOf(c, "_.@-\\"); });
  const bool is_port = std::all_of(password.begin(), password.end(), IsDigit);
  std::string scheme(user);
  std::transform(scheme.begin(), scheme.end(), scheme.begin(), Lower);
  if (!is_user || is_port || Rules::Get().schemes.contains(scheme) || password.starts_with('/') ||
      IsHarmless(password, Secrecy::kStrong))
    return std::nullopt;
  return Range{colon + 1, span.end};
}

}  // namespace

size_t RedactAssigned(ScannedText* scan, AssignedValue found, size_t quote_before, std::string_view name,
                      Secrecy secrecy, size_t next) {
  const std::string_view text = scan->text;
  if (found.link == Link::kProse) found.value = BehindProperties(*scan, found.value);
  found.value += StringPrefix(text, found.value);
  if (secrecy == Secrecy::kMaybe) {
    if (const std::optional<Range> password = PasswordBehindUser(text, name, found)) {
      if (scan->IsRedactedAt(password->begin)) return scan->SkipRedacted(password->begin);
      return scan->Redact(password->begin, password->end);
    }
    return RedactKey(scan, found.value, next);
  }
  if (secrecy == Secrecy::kCode && found.link == Link::kApart &&
      !text.substr(0, found.value).ends_with("is "))  // "your PIN is 4821"
    return next;
  const Unit quote = UnitAt(text, found.value);
  const bool is_quoted = quote.size > 0 && IsQuote(quote.character);
  if (const std::optional<Range> quoted = DollarQuoted(text, found.value)) {
    if (scan->IsRedactedAt(quoted->begin)) return scan->SkipRedacted(quoted->begin);
    return scan->Redact(quoted->begin, quoted->end);
  }
  const bool is_path = scan->Before(static_cast<size_t>(name.data() - text.data())) == '/';
  if (found.link == Link::kApart && !is_quoted && !is_path && name.find('.') != std::string_view::npos) {
    return RedactProperty(scan, name, found.value, secrecy, next);
  }
  if (found.link == Link::kApart && secrecy == Secrecy::kStrong && !is_quoted && IsPasswordName(name)) {
    return RedactPassword(scan, found.value, next);
  }
  if (found.link == Link::kApart && secrecy != Secrecy::kCode && (secrecy <= Secrecy::kWeak || !is_quoted))
    return RedactKey(scan, found.value, next);
  if (const std::optional<Range> block =
          FindBlock(*scan, static_cast<size_t>(name.data() - text.data()), found.value)) {
    if (scan->IsRedactedAt(block->begin)) return scan->SkipRedacted(block->begin);
    return scan->Redact(block->begin, block->end);
  }
  if (scan->IsRedactedAt(found.value)) return scan->SkipRedacted(found.value);
  if (is_quoted && scan->IsRedactedAt(found.value + quote.size)) return scan->SkipRedacted(found.value + quote.size);
  Span span = ValueAt(text, found.value, found.kind);
  if (scan->IsRedactedAt(span.begin)) return scan->SkipRedacted(span.begin);
  ExtendScheme(*scan, &span);
  if (secrecy == Secrecy::kCode && span.end > span.begin && text[span.end - 1] == '.') --span.end;
  if (!is_quoted && found.link == Link::kAssigned) ExtendToQuote(*scan, quote_before, &span);
  const std::string_view value = text.substr(span.begin, span.end - span.begin);
  if (IsHarmless(value, secrecy)) return next;
  if (IsDirectoryVariable(name) && value.starts_with('/')) return next;
  if (found.link == Link::kProse && secrecy <= Secrecy::kWeak && IsSentence(*scan, span)) return next;
  if (value.starts_with("--")) return next;
  scan->Redact(span.begin, span.end);
  return span.end;
}

size_t RedactIdentifiedBy(ScannedText* scan, size_t at, size_t behind) {
  constexpr size_t kMaxPlugin = 64;
  const std::string_view text = scan->text;
  if (HasAt(text, at, "identified with")) {  // IDENTIFIED WITH plugin BY 'X', AS 'X'
    const std::string_view plugin = text.substr(behind, kMaxPlugin);
    const size_t word = std::min(FindIgnoringCase(plugin, " by "), FindIgnoringCase(plugin, " as "));
    if (word == std::string_view::npos) return behind;
    const size_t quote = scan->SkipBlanks(behind + word + 3);
    if (!IsQuote(UnitAt(text, quote + StringPrefix(text, quote)).character)) return behind;
    behind += word + 3;
  }
  size_t value = scan->SkipBlanks(behind);
  if (HasAt(text, value, "values ")) value = scan->SkipBlanks(value + 7);
  if (value == behind || value >= text.size() || HasAt(text, value, "password ")) return behind;
  const Span span = ValueAt(text, value, ValueKind::kPlain);
  if (scan->IsRedactedAt(span.begin)) return scan->SkipRedacted(span.begin);
  if (IsHarmless(text.substr(span.begin, span.end - span.begin), Secrecy::kStrong)) return behind;
  scan->Redact(span.begin, span.end);
  return span.end;
}

}  // namespace sparkprof::redaction
