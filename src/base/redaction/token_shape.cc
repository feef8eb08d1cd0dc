// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "base/redaction/characters.h"
#include "base/redaction/secrecy.h"
#include "base/redaction/secret_search.h"

namespace sparkprof::redaction {
namespace {

bool IsOfAlphabet(char c, char alphabet) {
  if (alphabet == 'h') return HexValue(c) >= 0 || c == '-';
  if (IsAlnum(c)) return true;
  if (alphabet == 'a') return false;
  if (c == '_' || c == '-') return true;
  return alphabet == 'd' && IsOneOf(c, ".~+/=");
}

// Redacts the secret key and the session token after the ID of an AWS access key: AKIA…:SECRET, "AKIA…","SECRET".
size_t RedactBeside(ScannedText* scan, size_t id_end) {
  constexpr size_t kMaxBetween = 8;
  constexpr size_t kSecretKey = 40;
  constexpr size_t kLeastSessionToken = 100;
  const std::string_view text = scan->text;
  size_t behind = id_end;
  for (;;) {
    size_t begin = behind;
    while (begin < text.size() && begin - behind < kMaxBetween &&
           (IsSpace(text[begin]) || IsOneOf(text[begin], ":,;|/\\\"'")))
      ++begin;
    size_t end = begin;
    while (end < text.size() && (IsAlnum(text[end]) || IsOneOf(text[end], "+/="))) ++end;
    if (begin == behind || (end - begin != kSecretKey && end - begin < kLeastSessionToken)) return behind;
    behind = scan->Redact(begin, end);
  }
}

}  // namespace

size_t RedactPrefixed(ScannedText* scan, size_t at, const TokenRule& rule) {
  const std::string_view text = scan->text;
  if (!scan->BeginsWord(at)) return at + 1;
  size_t end = at + rule.beginning.size();
  const size_t begin = end;
  while (end < text.size() && IsOfAlphabet(text[end], rule.alphabet)) ++end;
  while (end > begin && text[end - 1] == '.') --end;
  const std::string_view body = text.substr(begin, end - begin);
  if (body.size() < rule.least) return at + 1;
  scan->Redact(at, end);
  return rule.beginning == "AKIA" || rule.beginning == "ASIA" ? RedactBeside(scan, end) : end;
}

size_t RedactWebToken(ScannedText* scan, size_t at) {
  const std::string_view text = scan->text;
  if (!text.substr(at).starts_with("eyJ") || !scan->BeginsWord(at)) {
    return at + 1;
  }
  size_t end = at;
  int dots = 0;
  for (; end < text.size(); ++end) {
    if (text[end] == '.') {
      ++dots;
    } else if (!IsOfAlphabet(text[end], 'w')) {
      break;
    }
  }
  while (end > at && text[end - 1] == '.') --end;
  if (end - at < 20 || dots == 0) return std::max(at + 1, end);
  return scan->Redact(at, end);
}

size_t RedactCredentials(ScannedText* scan, size_t at, size_t behind, bool is_bearer) {
  const std::string_view text = scan->text;
  if (!scan->BeginsWord(at) || behind >= text.size()) return at + 1;
  size_t begin = behind;
  if (IsBlank(text[begin])) {
    begin = scan->SkipBlanks(begin);
  } else if (text[begin] == '+' || HasAt(text, begin, "%20")) {
    begin += text[begin] == '+' ? 1 : 3;
  } else {
    return at + 1;
  }
  size_t end = begin;
  while (end < text.size() && IsOfAlphabet(text[end], 'd')) ++end;
  while (end > begin && text[end - 1] == '.') --end;
  const std::string_view value = text.substr(begin, end - begin);
  const bool has_digit = std::any_of(value.begin(), value.end(), IsDigit);
  const bool has_mark = std::any_of(value.begin(), value.end(), [](char c) { return !IsAlnum(c); });
  const bool is_mixed = value.size() > 1 && std::any_of(value.begin() + 1, value.end(), IsUpper) &&
                        std::any_of(value.begin(), value.end(), IsLower);
  const bool is_secret = is_bearer ? value.size() >= 6 && value.find('=') != 5 &&
                                         (has_digit || is_mixed || (has_mark && value.size() >= 16))
                                   : value.size() >= 6 && IsEncodedUserAndPassword(value);
  if (!is_secret) return at + 1;
  return scan->Redact(begin, end);
}

}  // namespace sparkprof::redaction
