// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>

#include "base/redaction/characters.h"
#include "base/redaction/rules.h"
#include "base/redaction/secrecy.h"
#include "base/redaction/secret_search.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxUserInfo = 1024;
constexpr size_t kMaxAuthority = 4096;

// End of a URL in a text, at most `limit`.
size_t UrlEnd(const ScannedText& scan, size_t at, size_t limit = std::string_view::npos) {
  const std::string_view text = scan.text;
  while (at < text.size() && at < limit && !IsSpace(text[at]) && !IsQuote(text[at]) && !IsOneOf(text[at], "<>\\")) ++at;
  return at;
}

size_t LastAt(const ScannedText& scan, size_t begin, size_t end) {
  const std::string_view text = scan.text;
  const size_t last = text.substr(begin, end - begin).rfind('@');
  return last == std::string_view::npos ? last : begin + last;
}

// Redacts https://TOKEN@host.
size_t RedactLoneUser(ScannedText* scan, size_t at, size_t begin, size_t end) {
  const std::string_view text = scan->text;
  const bool is_web = at >= 4 && (HasAt(text, at - 4, "http") || (at >= 5 && HasAt(text, at - 5, "https")));
  if (!is_web || !LooksLikeKey(text.substr(begin, end - begin))) return begin;
  return scan->Redact(begin, end);
}

}  // namespace

size_t RedactUrl(ScannedText* scan, size_t at, size_t begin) {
  const std::string_view text = scan->text;
  const bool has_scheme = at > scan->from && IsAlnum(text[at - 1]);
  if (!has_scheme) return at + 1;
  size_t colon = begin;
  while (colon < text.size() && colon - begin < kMaxUserInfo && !IsOneOf(text[colon], ":/?#@[,") &&
         !IsSpace(text[colon]) && !IsQuote(text[colon]) && !IsOneOf(text[colon], "<>\\")) {
    ++colon;
  }
  if (scan->At(colon) == '@') {
    // Handles https://joe@example.com:PASSWORD@host.
    const size_t host_end = text.substr(0, colon + kMaxUserInfo).find_first_of(":/?#[, \t\r\n\"'<>\\", colon);
    if (scan->At(host_end) != ':') return RedactLoneUser(scan, at, begin, colon);
    colon = host_end;
  }
  if (scan->At(colon) != ':') return begin;
  size_t port = colon + 1;
  while (IsDigit(scan->At(port))) ++port;
  const bool is_port =
      port > colon + 1 && (port >= text.size() || !(IsAlnum(text[port]) || IsOneOf(text[port], "@:!$%&*+=~_-.^")));
  if (is_port) return begin;
  const size_t end = UrlEnd(*scan, colon + 1, colon + kMaxAuthority);
  const size_t last = LastAt(*scan, colon + 1, end);
  if (last == std::string_view::npos || last <= colon + 1) return begin;
  if (scan->IsRedactedAt(colon + 1) && last == colon + 1 + kRedacted.size()) return scan->SkipRedacted(colon + 1);
  return scan->Redact(colon + 1, last);
}

size_t RedactOracle(ScannedText* scan, size_t begin) {
  const std::string_view text = scan->text;
  size_t slash = begin;
  while (slash < text.size() && slash - begin < kMaxUserInfo && !IsOneOf(text[slash], "/@:") && !IsSpace(text[slash]) &&
         !IsQuote(text[slash])) {
    ++slash;
  }
  if (scan->At(slash) != '/' || slash == begin) return begin;
  size_t from = slash + 1;
  if (scan->At(from) == '"' || scan->At(from) == '\\') {
    const Span span = ValueAt(text, from, ValueKind::kPlain);
    if (scan->IsRedactedAt(span.begin)) return scan->SkipRedacted(span.begin);
    if (scan->At(span.behind) == '@' && span.end > span.begin) {
      scan->Redact(span.begin, span.end);
      return span.end;
    }
  }
  const size_t last = LastAt(*scan, from, UrlEnd(*scan, from, from + kMaxAuthority));
  if (last == std::string_view::npos || last <= from) return begin;
  if (scan->IsRedactedAt(from)) return scan->SkipRedacted(from);
  return scan->Redact(from, last);
}

size_t RedactUserInfo(ScannedText* scan, size_t at) {
  const std::string_view text = scan->text;
  size_t begin = at;
  while (begin > scan->from && at - begin < kMaxUserInfo && !IsSpace(text[begin - 1]) && !IsQuote(text[begin - 1]) &&
         !IsOneOf(text[begin - 1], "=,;()<>{}[]/\\|&?")) {
    --begin;
  }
  const size_t colon = text.substr(0, at).find(':', begin);
  if (colon == std::string_view::npos || colon == begin) return at + 1;
  if (Utf16Size(text.substr(colon, at - colon)) < 4) return at + 1;
  const std::string_view user = text.substr(begin, colon - begin);
  if (!std::all_of(user.begin(), user.end(), [](char c) { return IsAlnum(c) || IsOneOf(c, "._-+@"); })) return at + 1;
  std::string lower(user);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  if (Rules::Get().labels.contains(lower)) return at + 1;
  size_t end = at + 1;
  bool has_dot = false;
  while (end < text.size() && (IsAlnum(text[end]) || IsOneOf(text[end], ".-_"))) {
    has_dot = has_dot || (text[end] == '.' && IsAlnum(scan->At(end + 1)));
    ++end;
  }
  const bool has_port = scan->At(end) == ':' && IsDigit(scan->At(end + 1));
  const std::string_view password = text.substr(colon + 1, at - colon - 1);
  if (end == at + 1) return at + 1;
  const bool is_host = has_dot || has_port || HasAt(text, at + 1, "localhost") || scan->At(end) == '/';
  const bool is_name = std::all_of(password.begin(), password.end(), [](char c) { return IsLower(c) || c == '.'; });
  if (!is_host || (is_name && !has_port)) return at + 1;
  scan->Redact(colon + 1, at);
  return at + 1;
}

size_t RedactWebhook(ScannedText* scan, size_t begin) {
  const size_t end = UrlEnd(*scan, begin);
  if (end == begin) return begin;
  if (scan->IsRedactedAt(begin)) return scan->SkipRedacted(begin);
  return scan->Redact(begin, end);
}

}  // namespace sparkprof::redaction
