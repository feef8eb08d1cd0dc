// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/assignment.h"

#include <optional>
#include <string_view>

#include "base/redaction/assigned_value.h"
#include "base/redaction/characters.h"
#include "base/redaction/markup.h"
#include "base/redaction/secret_decision.h"
#include "base/redaction/secret_name.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxAssignedName = 200;

bool IsNameCharacter(char c) { return IsAlnum(c) || IsOneOf(c, "_.-$"); }

std::string_view WordBefore(const ScannedText& scan, size_t at) {
  const std::string_view text = scan.text;
  if (at == 0 || at == scan.from || text[at - 1] != ' ') return {};
  const size_t end = at - 1;
  size_t begin = end;
  while (begin > scan.from && end - begin < 32 && IsLetter(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// "spark.x.password=…" or "--password=…": the quote right before the name.
size_t QuoteBefore(const ScannedText& scan, size_t begin) {
  const std::string_view text = scan.text;
  while (begin > scan.from && text[begin - 1] == '-') --begin;
  if (begin == scan.from || !IsQuote(text[begin - 1])) return std::string_view::npos;
  size_t quote = begin - 1;
  while (quote > scan.from && text[quote - 1] == '\\') --quote;
  return quote;
}

}  // namespace

size_t RedactAssignment(ScannedText* scan, size_t at) {
  const std::string_view text = scan->text;
  size_t begin = at;
  while (begin > scan->from && at - begin < kMaxAssignedName && IsNameCharacter(text[begin - 1])) --begin;
  size_t end = at;
  while (end < text.size() && IsNameCharacter(text[end])) ++end;
  const size_t next = end;
  // \npassword and %0Apassword: the escape is not part of the name.
  const size_t escape = begin;
  if (begin > scan->from && text[begin - 1] == '\\' && IsOneOf(text[begin], "nrt") && begin < at) ++begin;
  if (begin > scan->from && text[begin - 1] == '%' && begin + 2 <= at && HexValue(text[begin]) >= 0 &&
      HexValue(text[begin + 1]) >= 0) {
    begin += 2;
  }
  bool is_option = text[begin] == '-' && (begin > escape || !IsAlnum(scan->Before(begin)));
  while (begin < end && IsOneOf(text[begin], "-.$")) ++begin;
  if (is_option && text[begin] == 'D' && begin < at && text[begin - 1] == '-' &&
      (begin < 2 || text[begin - 2] != '-')) {
    ++begin;
    is_option = false;
  }
  while (end > begin && IsOneOf(text[end - 1], ".-$")) --end;
  if (end <= begin) return next;
  const std::string_view name = text.substr(begin, end - begin);
  Secrecy secrecy = SecrecyOf(name, WordBefore(*scan, begin));
  if (secrecy == Secrecy::kNone || (begin >= 5 && text.substr(begin - 5, 5) == "/etc/")) return next;
  const bool is_parameter = scan->Before(begin) == '?' || scan->Before(begin) == '&';
  if (is_parameter && secrecy == Secrecy::kMaybe) secrecy = Secrecy::kStrong;
  const std::optional<AssignedValue> found = FindAssignedValue(*scan, begin, end, is_option, is_parameter, secrecy);
  if (!found) return next;
  if (found->to_tag) return RedactToTag(scan, found->value, secrecy, next);
  return RedactAssigned(scan, *found, QuoteBefore(*scan, begin), name, secrecy, next);
}

}  // namespace sparkprof::redaction
