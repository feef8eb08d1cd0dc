// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/assignment.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/redaction/characters.h"
#include "base/redaction/secrecy.h"
#include "base/redaction/secret_search.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {
namespace {

std::string_view WordBefore(const ScannedText& scan, size_t at) {
  const std::string_view text = scan.text;
  if (at == 0 || at == scan.from || text[at - 1] != ' ') return {};
  const size_t end = at - 1;
  size_t begin = end;
  while (begin > scan.from && end - begin < 32 && IsLetter(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// Position of the quote directly before the name in "spark.x.password=…" or "--password=…".
size_t QuoteBefore(const ScannedText& scan, size_t begin) {
  const std::string_view text = scan.text;
  while (begin > scan.from && text[begin - 1] == '-') --begin;
  if (begin == scan.from || !IsQuote(text[begin - 1])) return std::string_view::npos;
  size_t quote = begin - 1;
  while (quote > scan.from && text[quote - 1] == '\\') --quote;
  return quote;
}

struct FoundName {
  Range name;
  bool is_option = false;
};

// The name without the hyphens of an option and the "D" of a property.
FoundName NameIn(const ScannedText& scan, Range whole) {
  const std::string_view text = scan.text;
  auto [begin, end] = whole;
  bool is_option = text[begin] == '-' && scan.BeginsWord(begin);
  const size_t first = begin;
  while (begin < end && IsOneOf(text[begin], "-.$")) ++begin;
  if (is_option && begin < end && text[begin] == 'D' && begin == first + 1) {
    ++begin;
    is_option = false;
  }
  while (end > begin && IsOneOf(text[end - 1], ".-$")) --end;
  return {{begin, end}, is_option};
}

Secrecy SecrecyOfRange(const ScannedText& scan, Range whole) {
  const auto [name, is_option] = NameIn(scan, whole);
  if (name.end <= name.begin) return Secrecy::kNone;
  return SecrecyOf(scan.text.substr(name.begin, name.end - name.begin), WordBefore(scan, name.begin));
}

// Whether the name's value is the next word: "requirepass X", or after "config set" and "configure set".
bool IsDirective(const ScannedText& scan, Range name) {
  const std::string_view text = scan.text;
  std::string lower(text.substr(name.begin, name.end - name.begin));
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  if (Rules::Get().directives.contains(lower)) return true;
  constexpr size_t kMaxBefore = 64;
  const std::string_view before = text.substr(0, name.begin).substr(name.begin - std::min(name.begin, kMaxBefore));
  const size_t set = FindIgnoringCase(before, " set ");
  return set != std::string_view::npos && before.find(' ', set + 5) == std::string_view::npos &&
         FindIgnoringCase(before.substr(0, set), "config") != std::string_view::npos;
}

// Position after "code" in "OTP code".
size_t BehindNoun(const ScannedText& scan, size_t end) {
  for (const std::string_view noun : {" code", " number"}) {
    if (HasAt(scan.text, end, noun)) return end + noun.size();
  }
  return end;
}

}  // namespace

size_t RedactAssignment(ScannedText* scan, size_t at) {
  const std::string_view text = scan->text;
  size_t begin = at;
  while (begin > scan->from && at - begin < kMaxAssignedName && IsNameCharacter(text[begin - 1])) --begin;
  size_t end = at;
  while (end < text.size() && IsNameCharacter(text[end])) ++end;
  const size_t next = end;
  // In \npassword and %0Apassword, the escape is not part of the name.
  if (begin > scan->from && text[begin - 1] == '\\' && IsOneOf(text[begin], "nrt") && begin < at) ++begin;
  if (begin > scan->from && text[begin - 1] == '%' && begin + 2 <= at && HexValue(text[begin]) >= 0 &&
      HexValue(text[begin + 1]) >= 0) {
    begin += 2;
  }
  const Secrecy secrecy = SecrecyOfRange(*scan, {begin, end});
  if (secrecy == Secrecy::kNone) return next;
  return RedactNamed(scan, {begin, end}, secrecy, next);
}

size_t RedactNamed(ScannedText* scan, Range whole, Secrecy secrecy, size_t next) {
  const std::string_view text = scan->text;
  const auto [name, is_option] = NameIn(*scan, whole);
  const auto [begin, end] = name;
  if (begin >= 5 && text.substr(begin - 5, 5) == "/etc/") return next;
  if (secrecy >= Secrecy::kCode) {
    RedactColumns(scan, name, secrecy);
    RedactInserted(scan, name);
  }
  const bool is_parameter = scan->Before(begin) == '?' || scan->Before(begin) == '&';
  if (is_parameter && secrecy == Secrecy::kMaybe) secrecy = Secrecy::kStrong;
  const bool takes_word = is_option || IsDirective(*scan, name);
  const size_t behind = secrecy == Secrecy::kCode ? BehindNoun(*scan, end) : end;
  const std::optional<AssignedValue> found = FindAssignedValue(*scan, begin, behind, takes_word, is_parameter, secrecy);
  if (!found) return next;
  if (found->to_tag) return RedactToTag(scan, found->value, secrecy, next);
  return RedactAssigned(scan, *found, QuoteBefore(*scan, begin), text.substr(begin, end - begin), secrecy, next);
}

}  // namespace sparkprof::redaction
