// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/redaction/characters.h"
#include "base/redaction/rules.h"
#include "base/redaction/secrecy.h"
#include "base/redaction/secret_search.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxCommand = 8192;

void RedactValue(ScannedText* scan, size_t value, char form) {
  const std::string_view text = scan->text;
  Span span = ValueAt(text, value, ValueKind::kPlain);
  const std::string_view word = text.substr(span.begin, span.end - span.begin);
  // Excludes docker run -p 8080:80.
  if (word.find(':') != std::string_view::npos &&
      std::all_of(word.begin(), word.end(), [](char c) { return IsDigit(c) || IsOneOf(c, ":."); }))
    return;
  if (form == '/') {  // joe/X@db
    const size_t slash = word.find('/');
    const size_t at = word.rfind('@');
    if (slash == std::string_view::npos || (at != std::string_view::npos && at <= slash) || slash == 0) return;
    span.end = at == std::string_view::npos ? span.end : span.begin + at;
    span.begin += slash + 1;
  }
  if (IsOneOf(form, ":%#")) {
    const size_t separator = text.substr(0, span.end).find(form == '#' ? '=' : form, span.begin);
    if (separator == std::string_view::npos) return;
    span.begin = separator + 1;
  }
  scan->RedactLater({span.begin, span.end});
}

struct CommandWords {
  std::vector<Span> words;  // words other than options, drives and shares
  std::string letters;      // letters of options
  bool has_share = false;
};

// The words of the command from `at` to the end of its line.
CommandWords WordsFrom(const ScannedText& scan, size_t at) {
  constexpr size_t kMaxWords = 12;
  const std::string_view text = scan.text;
  CommandWords found;
  for (at = scan.SkipBlanks(at); at < text.size() && found.words.size() < kMaxWords; at = scan.SkipBlanks(at)) {
    if (IsOneOf(text[at], "\n\r;|&>#")) break;
    Span span = ValueAt(text, at, ValueKind::kPlain);
    if (span.behind <= at) break;
    const std::string_view word = text.substr(span.begin, span.end - span.begin);
    const bool is_share =
        word.starts_with("\\\\") || word.starts_with("//") || word == "*" || (word.size() == 2 && word[1] == ':');
    found.has_share = found.has_share || is_share;
    if (word.starts_with('-')) {
      found.letters += word.substr(1);
    } else if (!is_share && !(word.starts_with('/') && word.find(':') != std::string_view::npos) && word != "/add") {
      found.words.push_back(span);
    }
    at = span.behind;
  }
  return found;
}

bool Reads(const ReaderRule& reader, std::string_view command) {
  const std::string_view path = command.substr(0, command.find(' '));
  if (path.starts_with('/')) command.remove_prefix(path.rfind('/') + 1);
  return HasAt(command, 0, reader.command) && !IsAlnum(CharAt(command, reader.command.size())) &&
         command.find(reader.option) != std::string_view::npos;
}

// The command that receives the output of a pipe or a here-string, if it reads a secret.
const ReaderRule* ReaderOf(std::string_view command) {
  const std::vector<ReaderRule>& readers = Rules::Get().readers;
  const auto reader =
      std::find_if(readers.begin(), readers.end(), [&](const ReaderRule& r) { return Reads(r, command); });
  return reader == readers.end() ? nullptr : &*reader;
}

// Redacts "X", or "joe:X" for chpasswd; not $NAME.
void RedactFed(ScannedText* scan, Range fed, const ReaderRule& reader) {
  const std::string_view text = scan->text;
  if (fed.end - fed.begin >= 2 && IsQuote(text[fed.begin]) && text[fed.end - 1] == text[fed.begin]) {
    ++fed.begin;
    --fed.end;
  }
  if (reader.command == "chpasswd") {
    const size_t colon = text.substr(0, fed.end).find(':', fed.begin);
    if (colon != std::string_view::npos) fed.begin = colon + 1;
  }
  const std::string_view value = text.substr(fed.begin, fed.end - fed.begin);
  const bool is_variable = value.starts_with('$') &&
                           std::all_of(value.begin() + 1, value.end(), [](char c) { return IsAlnum(c) || c == '_'; });
  if (!is_variable && !IsHarmless(value, Secrecy::kStrong)) scan->RedactLater(fed);
}

// Position after the option at `at`; 0 if missing. Capital letters may follow others: zip -rP.
size_t OptionEnd(std::string_view text, size_t at, std::string_view option) {
  if (text.substr(at).starts_with(option)) return at + option.size();
  if (option.size() != 2 || !IsUpper(option[1]) || text[at] != '-') return 0;
  size_t end = at + 1;
  while (IsLower(CharAt(text, end))) ++end;
  return end > at + 1 && CharAt(text, end) == option[1] && IsSpace(CharAt(text, end + 1)) ? end + 1 : 0;
}

}  // namespace

size_t RedactPositional(ScannedText* scan, size_t at, std::string_view command) {
  const size_t behind = at + command.size();
  if (!scan->BeginsWord(at) || !IsBlank(scan->At(behind))) return at + 1;
  const CommandWords found = WordsFrom(*scan, behind);
  for (const PositionalRule& rule : Rules::Get().positions) {
    if (rule.command != command || found.words.size() < rule.number) continue;
    const bool has_letters = std::all_of(rule.letters.begin(), rule.letters.end(), [&](char c) {
      return c == '!' ? found.has_share : c == '=' ? found.words.size() == rule.number : IsOneOf(c, found.letters);
    });
    if (!has_letters) continue;
    const Span& span = found.words[rule.number - 1];
    const std::string_view word = scan->text.substr(span.begin, span.end - span.begin);
    // Excludes "net user growth 3%".
    if (rule.letters == "=" &&
        (std::none_of(word.begin(), word.end(), IsLetter) || std::none_of(word.begin(), word.end(), IsDigit)))
      break;
    scan->RedactLater({span.begin, span.end});
    break;
  }
  return behind;
}

size_t RedactPiped(ScannedText* scan, size_t at, std::string_view writer) {
  constexpr size_t kMaxArguments = 1000;
  const std::string_view text = scan->text.substr(0, at + kMaxArguments);
  const size_t behind = at + writer.size();
  if (!scan->BeginsWord(at)) return at + 1;
  size_t begin = scan->SkipBlanks(behind);
  while (CharAt(text, begin) == '-' && IsOneOf(CharAt(text, begin + 1), "neE")) {
    while (begin < text.size() && !IsSpace(text[begin])) ++begin;
    begin = scan->SkipBlanks(begin);
  }
  size_t pipe = begin;
  while (pipe < text.size() && !IsOneOf(text[pipe], "|\n;")) {
    const size_t close = IsQuote(text[pipe]) ? QuotesEnd(text, pipe, pipe + 1) : std::string_view::npos;
    pipe = close == std::string_view::npos ? pipe + 1 : close + 1;
  }
  if (CharAt(text, pipe) != '|') return behind;
  const size_t command = scan->SkipBlanks(pipe + 1);
  const std::string_view rest = text.substr(std::min(command, text.size()));
  const ReaderRule* const reader = ReaderOf(rest.substr(0, rest.find_first_of("|\n;")));
  if (reader == nullptr) return behind;
  while (pipe > begin && IsBlank(text[pipe - 1])) --pipe;
  RedactFed(scan, {begin, pipe}, *reader);
  return behind;
}

size_t RedactHereString(ScannedText* scan, size_t at) {
  constexpr size_t kMaxCommandBefore = 128;
  const std::string_view text = scan->text;
  size_t begin = at;
  while (begin > 0 && at - begin < kMaxCommandBefore && !IsOneOf(text[begin - 1], "|\n;")) --begin;
  begin = scan->SkipBlanks(begin);
  if (begin >= at) return at + 2;
  const std::string_view command = text.substr(begin, at - begin);
  const ReaderRule* const reader = ReaderOf(command);
  if (scan->At(at + 2) == '<') {
    if (reader == nullptr) return at + 3;
    const Span span = ValueAt(text.substr(0, at + kMaxCommandBefore), scan->SkipBlanks(at + 3), ValueKind::kPlain);
    RedactFed(scan, {span.begin, span.end}, *reader);
    return at + 3;
  }
  // Matches read NAME <<EOF.
  const size_t end = command.find_last_not_of(" \t");
  const size_t word = end == std::string_view::npos ? end : command.find_last_of(" \t", end);
  const bool is_read = HasAt(command, 0, "read ") && word != std::string_view::npos &&
                       SecrecyOf(command.substr(word + 1, end - word)) >= Secrecy::kWeak;
  if (reader == nullptr && !is_read) return at + 2;
  if (const std::optional<Range> block = FindBlock(*scan, begin, at)) scan->RedactLater(*block);
  return at + 2;
}

size_t RedactOptions(ScannedText* scan, size_t at, std::string_view command) {
  const std::string_view text = scan->text;
  const size_t behind = at + command.size();
  if ((at > scan->from && IsOneOf(text[at - 1], "_.-")) || !scan->BeginsWord(at)) return at + 1;
  if (behind >= text.size() || !IsSpace(text[behind])) return at + 1;
  const size_t limit = std::min(text.size(), behind + kMaxCommand);
  for (size_t i = behind; i < limit && (text[i] != '\n' || text[i - 1] == '\\'); ++i) {
    if (!IsSpace(text[i - 1])) continue;
    if (HasAt(text, i, command)) break;  // the next command has its own options
    for (const CommandRule& rule : Rules::Get().commands) {
      if (rule.command != command) continue;
      const size_t option = OptionEnd(text, i, rule.option);
      if (option == 0) continue;
      if (rule.form == '/') {
        if (IsLetter(text[i])) RedactValue(scan, i, rule.form);
        continue;
      }
      const size_t glued = option;
      const bool is_apart = IsSpace(scan->At(glued)) && glued < text.size();
      const bool is_assigned = scan->At(glued) == '=' && rule.option.starts_with("--");
      if (rule.form == '+' && is_apart) continue;
      if (IsOneOf(rule.form, "-:%#") && !is_apart && !is_assigned) continue;
      const size_t value = is_apart ? scan->SkipBlanks(glued) : is_assigned ? glued + 1 : glued;
      if (value < text.size() && text[value] != '-' && text[value] != '\n') RedactValue(scan, value, rule.form);
    }
  }
  return behind;
}

}  // namespace sparkprof::redaction
