// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/redaction/characters.h"
#include "base/redaction/secrecy.h"
#include "base/redaction/secret_search.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxLine = 2000;    // maximum size of the header line, bytes
constexpr size_t kMaxName = 40;      // maximum size of a name, bytes
constexpr size_t kMaxTable = 65536;  // maximum size of the table, bytes

using Fields = std::vector<Range>;

Range WithoutBlanks(std::string_view text, Range part) {
  while (part.begin < part.end && IsBlank(text[part.begin])) ++part.begin;
  while (part.end > part.begin && IsBlank(text[part.end - 1])) --part.end;
  return part;
}

Range WithoutQuotes(std::string_view text, Range part) {
  part = WithoutBlanks(text, part);
  if (part.end - part.begin >= 2 && IsQuote(text[part.begin]) && text[part.end - 1] == text[part.begin]) {
    ++part.begin;
    --part.end;
  }
  return part;
}

// The fields of a line, without empty ones outside a table's border.
Fields SplitFields(std::string_view text, Range line, char delimiter) {
  Fields fields;
  size_t begin = line.begin;
  for (size_t at = begin; at <= line.end;) {
    if (at < line.end && IsQuote(text[at]) && WithoutBlanks(text, {begin, at}).begin == at) {
      const size_t end = QuotesEnd(text.substr(0, line.end), at, at + 1);
      if (end != std::string_view::npos) at = end;
    } else if (at == line.end || text[at] == delimiter) {
      fields.push_back(WithoutQuotes(text, {begin, at}));
      begin = at + 1;
    }
    ++at;
  }
  if (delimiter == '|') {
    const auto is_empty = [](const Range& field) { return field.begin == field.end; };
    if (!fields.empty() && is_empty(fields.front())) fields.erase(fields.begin());
    if (!fields.empty() && is_empty(fields.back())) fields.pop_back();
  }
  return fields;
}

bool IsNameOfColumn(std::string_view name) {
  if (name.empty() || name.size() > kMaxName || !(IsLetter(name.front()) || name.front() == '_' || name.front() < 0))
    return false;
  for (const std::string_view keyword : {"select ", "from ", "insert ", "group ", "order ", "create ", "with "}) {
    if (HasAt(name, 0, keyword)) return false;
  }
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return IsAlnum(c) || IsOneOf(c, "_-. ") || static_cast<signed char>(c) < 0; });
}

// +----+----+ or |----|----|
bool IsRuledLine(std::string_view line) {
  return !line.empty() && std::all_of(line.begin(), line.end(), [](char c) { return IsOneOf(c, "+-|=: "); });
}

bool IsSecretValue(std::string_view value, Secrecy secrecy) {
  if (IsHarmless(value, secrecy)) return false;
  if (secrecy >= Secrecy::kStrong || secrecy == Secrecy::kCode) return true;
  // Values in a column named "token" may be words.
  return value.size() >= 6 && std::any_of(value.begin(), value.end(), IsLetter) &&
         std::any_of(value.begin(), value.end(), IsDigit);
}

Range LineAt(std::string_view text, size_t at) {
  size_t begin = at;
  while (begin > 0 && at - begin < kMaxLine && text[begin - 1] != '\n' && text[begin - 1] != '\r') {
    if (text[begin - 1] == 'n' && begin > 1 && text[begin - 2] == '\\') break;
    --begin;
  }
  size_t end = begin;
  while (end < text.size() && end - begin <= kMaxLine && LineBreakSize(text, end) == 0) ++end;
  if (CharAt(text, end) == '\\') {  // in an escaped text in quotes
    const size_t quote = text.substr(0, at).find_last_of("\"'");
    if (quote != std::string_view::npos && quote >= begin && (quote == 0 || !IsOneOf(text[quote - 1], ",;|")))
      begin = quote + 1;
  }
  while (CharAt(text, begin) == '#' || IsBlank(CharAt(text, begin))) ++begin;
  return {begin, end};
}

// Start and end of the parenthesized list around `at`; nullopt if it contains anything but names.
std::optional<Range> ListAround(std::string_view text, size_t at) {
  const auto is_of_names = [](char c) { return IsAlnum(c) || IsQuote(c) || IsSpace(c) || IsOneOf(c, "_,.[]"); };
  size_t begin = at;
  while (begin > 0 && at - begin < kMaxLine && is_of_names(text[begin - 1])) --begin;
  size_t end = at;
  while (end < text.size() && end - at < kMaxLine && is_of_names(text[end])) ++end;
  if (begin == 0 || text[begin - 1] != '(' || CharAt(text, end) != ')') return std::nullopt;
  return Range{begin, end};
}

size_t SkipSpaces(std::string_view text, size_t at) {
  while (at < text.size() && IsSpace(text[at])) ++at;
  return at;
}

bool IsEndOfField(std::string_view text, size_t at) {
  return at >= text.size() || IsOneOf(text[at], ",;\t|") || LineBreakSize(text, at) > 0;
}

}  // namespace

void RedactColumns(ScannedText* scan, Range name, Secrecy secrecy) {
  const std::string_view text = scan->text;
  if (name.begin < scan->table_end) return;
  // Most secret names are not column names: something else follows them.
  size_t behind = name.end;
  while (behind < text.size() && behind - name.end < kMaxName &&
         (IsNameOfColumn(text.substr(behind, 1)) || text[behind] == ' '))
    ++behind;
  if (IsQuote(CharAt(text, behind))) ++behind;
  while (IsBlank(CharAt(text, behind))) ++behind;
  if (!IsEndOfField(text, behind)) return;
  const Range line = LineAt(text, name.begin);
  if (line.end - line.begin > kMaxLine) return;
  const std::string_view names = text.substr(line.begin, line.end - line.begin);
  const size_t place = std::min({names.find('|') == std::string_view::npos ? size_t{4} : size_t{0},
                                 names.find('\t') == std::string_view::npos ? size_t{4} : size_t{1},
                                 names.find(';') == std::string_view::npos ? size_t{4} : size_t{2},
                                 names.find(',') == std::string_view::npos ? size_t{4} : size_t{3}});
  if (place == 4) return;
  const char delimiter = "|\t;,"[place];
  const Fields columns = SplitFields(text, line, delimiter);
  if (columns.size() < 2 && delimiter != '|') return;
  std::vector<Secrecy> secrecies;
  for (const Range& column : columns) {
    const std::string_view title = text.substr(column.begin, column.end - column.begin);
    if (!IsNameOfColumn(title)) return;
    const bool is_found = name.begin >= column.begin && name.begin < column.end;
    secrecies.push_back(is_found ? std::max(secrecy, SecrecyOf(title)) : SecrecyOf(title));
  }
  size_t at = LineFrom(text, line.begin).next;
  const size_t first = at;
  while (at < text.size() && at > line.end && at - first < kMaxTable) {
    const auto [end, next] = LineFrom(text, at);
    if (!IsRuledLine(text.substr(at, end - at))) {
      const Fields row = SplitFields(text, {at, end}, delimiter);
      if (row.size() != columns.size()) break;
      for (size_t i = 0; i < row.size(); ++i) {
        const std::string_view value = text.substr(row[i].begin, row[i].end - row[i].begin);
        if (secrecies[i] >= Secrecy::kCode && IsSecretValue(value, secrecies[i])) scan->RedactLater(row[i]);
      }
    }
    if (next == end) {
      at = next;
      break;
    }
    at = next;
  }
  scan->table_end = at;
}

void RedactInserted(ScannedText* scan, Range name) {
  const std::string_view text = scan->text;
  const size_t behind = name.end + (IsQuote(CharAt(text, name.end)) ? 1 : 0);
  if (!IsOneOf(CharAt(text, SkipSpaces(text, behind)), ",)")) return;
  const std::optional<Range> names = ListAround(text, name.begin);
  if (!names) return;
  size_t at = SkipSpaces(text, names->end + 1);
  if (!HasAt(text, at, "values")) return;
  const auto place = static_cast<size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(names->begin),
                                                    text.begin() + static_cast<std::ptrdiff_t>(name.begin), ','));
  at = SkipSpaces(text, at + 6);
  for (const size_t first = at; CharAt(text, at) == '(' && at - first < kMaxTable;) {
    size_t column = 0;
    for (++at; at < text.size() && text[at] != ')'; ++at) {
      if (text[at] == ',') ++column;
      if (!IsQuote(text[at])) continue;
      const size_t end = QuotesEnd(text, at, at + 1);
      if (end == std::string_view::npos) return;
      const std::string_view value = text.substr(at + 1, end - at - 1);
      if (column == place && !IsHarmless(value, Secrecy::kStrong)) scan->RedactLater({at + 1, end});
      at = end;
    }
    at = SkipSpaces(text, std::min(at + 1, text.size()));
    if (CharAt(text, at) == ',') at = SkipSpaces(text, at + 1);
  }
}

}  // namespace sparkprof::redaction
