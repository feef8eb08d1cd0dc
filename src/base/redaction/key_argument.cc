// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "base/redaction/characters.h"
#include "base/redaction/decoded_text.h"
#include "base/redaction/secrecy.h"
#include "base/redaction/secret_search.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxArguments = 4096;  // bytes
constexpr size_t kMaxQuotedArguments = 512;
constexpr size_t kLeastLiteral = 4;  // minimum size of a hashed literal, bytes

// The end of the argument at `at`: the following comma or bracket, or the end of the text.
size_t ArgumentEnd(std::string_view text, size_t at) {
  size_t depth = 0;
  while (at < text.size()) {
    const Unit unit = UnitAt(text, at);
    if (IsQuote(unit.character)) {
      const size_t end = QuotesEnd(text, at, at + unit.size);
      at = end == std::string_view::npos ? at + unit.size : end + unit.size;
      continue;
    }
    if (IsOneOf(text[at], "([{")) ++depth;
    if (IsOneOf(text[at], ")]}") && depth-- == 0) return at;
    if (text[at] == ',' && depth == 0) return at;
    at += unit.size;
  }
  return at;
}

Range Trimmed(std::string_view text, Range part) {
  while (part.begin < part.end && IsSpace(text[part.begin])) ++part.begin;
  while (part.end > part.begin && IsSpace(text[part.end - 1])) --part.end;
  return part;
}

// Whether a plan's unquoted literal has the length of a key.
bool HasLengthOfKey(std::string_view word) { return word.size() == 16 || word.size() == 24 || word.size() == 32; }

// Matches x, t.x, `x`, x#12, x#12L, but not a word with the length of an AES key.
bool IsColumn(std::string_view word) {
  if (word.empty() || IsDigit(word.front())) return false;
  const size_t number = word.find('#');
  const std::string_view name = word.substr(0, number);
  if (!std::all_of(name.begin(), name.end(), [](char c) { return IsAlnum(c) || IsOneOf(c, "_.`$"); })) return false;
  if (number != std::string_view::npos) return number + 1 < word.size() && IsDigit(word[number + 1]);
  return !HasLengthOfKey(word);
}

bool IsCall(std::string_view text, Range part) {
  return part.end > part.begin && text[part.end - 1] == ')' &&
         text.substr(part.begin, part.end - part.begin).find('(') != std::string_view::npos;
}

void RedactKeyIn(ScannedText* scan, Range argument) {
  const std::string_view text = scan->text;
  bool has_quotes = false;
  for (size_t at = argument.begin; at < argument.end;) {
    const Unit unit = UnitAt(text, at);
    if (!IsQuote(unit.character) || unit.character == '`') {
      at += std::max<size_t>(1, unit.size);
      continue;
    }
    const size_t begin = at + unit.size;
    const size_t end = std::min(QuotesEnd(text, at, begin), argument.end);
    if (!IsHarmless(text.substr(begin, end - begin), Secrecy::kStrong)) scan->RedactLater({begin, end});
    has_quotes = true;
    at = std::min(end + unit.size, argument.end);
  }
  if (has_quotes) return;
  argument = Trimmed(text, argument);
  bool is_cast = false;
  if (IsCall(text, argument)) {  // cast(KEY as binary), lit(KEY)
    const size_t open = text.find('(', argument.begin);
    const std::string_view function = text.substr(argument.begin, open - argument.begin);
    argument = Trimmed(text, {open + 1, argument.end - 1});
    is_cast = HasAt(function, 0, "cast") || HasAt(function, 0, "try_cast");
    if (is_cast) {
      const size_t type = text.substr(0, argument.end).rfind(" as ");
      if (type != std::string_view::npos && type >= argument.begin) argument = Trimmed(text, {argument.begin, type});
    }
    if (IsCall(text, argument)) return RedactKeyIn(scan, argument);
  }
  const std::string_view word = text.substr(argument.begin, argument.end - argument.begin);
  const bool is_phrase = !is_cast && std::any_of(word.begin(), word.end(), IsSpace);  // "const char* key"
  if (word.empty() || IsColumn(word) || (is_phrase && !HasLengthOfKey(word)) || IsHarmless(word, Secrecy::kStrong))
    return;
  scan->RedactLater(argument);
}

// Redacts the quoted text in an argument, up to a statement's end: all of it, the first one, or the argument if it is a
// literal.
void RedactQuoted(ScannedText* scan, Range argument, CallForm form) {
  const std::string_view text = scan->text;
  size_t at = argument.begin;
  if (form == CallForm::kStatement && IsAlnum(text[at]) && !IsQuote(CharAt(text, at + 1))) {  // sp_addlogin joe, X
    size_t end = at;
    while (end < argument.end && !IsSpace(text[end]) && text[end] != ';') ++end;
    const std::string_view word = text.substr(at, end - at);
    if (word.find_first_of("'\"=") == std::string_view::npos && !IsHarmless(word, Secrecy::kStrong))
      scan->RedactLater({at, end});
    return;
  }
  while (form == CallForm::kLiteral && at + 2 < argument.end && IsLetter(text[at])) ++at;  // b'…', N'…'
  for (; at < argument.end; ++at) {
    const Unit unit = UnitAt(text, at);
    if (!IsQuote(unit.character) || unit.character == '`') {
      if (form == CallForm::kLiteral || (form == CallForm::kStatement && IsOneOf(text[at], ";\n"))) return;
      continue;
    }
    const size_t begin = at + unit.size;
    const size_t end = std::min(QuotesEnd(text, at, begin), argument.end);
    const bool is_literal = end + unit.size >= argument.end;
    const std::string_view value = text.substr(begin, end - begin);
    const bool is_secret = form == CallForm::kLiteral
                               ? is_literal && value.size() >= kLeastLiteral
                               : !value.starts_with('/') && value.find(' ') == std::string_view::npos;
    if (is_secret && !IsHarmless(value, Secrecy::kStrong)) scan->RedactLater({begin, end});
    if (form != CallForm::kQuoted) return;
    at = end;
  }
}

// Start of the call's arguments; 0 if it is not a call.
size_t ArgumentsOf(const ScannedText& scan, size_t behind, const FunctionRule& function) {
  const std::string_view text = scan.text;
  size_t open = scan.SkipBlanks(behind);
  const bool is_assigned = function.name == "auth";
  if (is_assigned) {  // auth=("joe", "X")
    if (scan.At(open) != '=' && scan.At(open) != ':') return 0;
    open = scan.SkipBlanks(open + 1);
  }
  if (open >= text.size()) return 0;
  if (function.form == CallForm::kStatement)
    return open > behind && (IsQuote(text[open]) || IsLetter(text[open])) ? open : 0;
  // The key may follow a comma, too: staticinvoke(class …, BinaryType, aesDecrypt, x#1, KEY, GCM, …).
  const bool opens =
      text[open] == '(' || (is_assigned && text[open] == '[') || (function.form == CallForm::kSql && text[open] == ',');
  return opens ? open + 1 : 0;
}

}  // namespace

size_t RedactKeyArgument(ScannedText* scan, size_t at, const FunctionRule& function) {
  const size_t most = function.form == CallForm::kSql ? kMaxArguments : kMaxQuotedArguments;
  const std::string_view text = scan->text.substr(0, at + most);
  const size_t behind = at + function.name.size();
  const bool is_part = at > scan->from && (IsAlnum(text[at - 1]) || text[at - 1] == '_');
  const bool is_method = function.name == "auth" || function.name.find('.') != std::string_view::npos;
  if (is_part && !is_method && !HasAt(text, at - std::min<size_t>(at, 4), "try_")) return at + 1;
  size_t begin = ArgumentsOf(*scan, behind, function);
  if (begin == 0) return behind;
  for (size_t number = 1; begin < text.size(); ++number) {
    const size_t end = ArgumentEnd(text, begin);
    const Range argument = Trimmed(text, {begin, end});
    const size_t arrow = text.substr(0, argument.end).find("=>", argument.begin);
    const std::string_view name = text.substr(argument.begin, std::min(arrow, argument.end) - argument.begin);
    const bool is_named = arrow != std::string_view::npos && name.find('\'') == std::string_view::npos;
    const bool is_secret = is_named
                               ? HasAt(name, 0, "key") || HasAt(name, 0, "passphrase")
                               : IsOneOf(static_cast<char>('0' + std::min<size_t>(number, 10)), function.arguments);
    const Range value{is_named ? arrow + 2 : argument.begin, argument.end};
    if (is_secret && function.form == CallForm::kSql) RedactKeyIn(scan, value);
    if (is_secret && function.form != CallForm::kSql) RedactQuoted(scan, Trimmed(text, value), function.form);
    if (end >= text.size() || text[end] != ',') break;
    begin = end + 1;
  }
  return behind;
}

}  // namespace sparkprof::redaction
