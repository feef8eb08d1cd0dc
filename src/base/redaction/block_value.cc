// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "base/redaction/characters.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxBlock = 65536;  // bytes

// Position after the header of a block (|, >-, |2 # comment) and its line break; 0 if there is none.
size_t BehindBlockHeader(std::string_view text, size_t at) {
  if (!IsOneOf(CharAt(text, at), "|>")) return 0;
  ++at;
  for (int i = 0; i < 2 && IsOneOf(CharAt(text, at), "+-123456789"); ++i) ++at;
  at += BlanksAt(text, at);
  if (CharAt(text, at) == '#') at = LineFrom(text, at).end;
  const size_t line_break = LineBreakSize(text, at);
  return line_break == 0 ? 0 : at + line_break;
}

std::optional<Range> YamlBlock(std::string_view text, size_t name, size_t value) {
  size_t line = BehindBlockHeader(text, value);
  if (line == 0) return std::nullopt;
  const size_t indentation = IndentationAt(text, name);
  Range block{line, line};
  while (line < text.size() && line - block.begin < kMaxBlock) {
    const auto [end, next] = LineFrom(text, line);
    const size_t blanks = BlanksAt(text, line);
    if (line + blanks < end) {
      if (blanks <= indentation) break;
      if (block.end == block.begin) block.begin = line + blanks;
      block.end = end;
    }
    if (next == end) break;
    line = next;
  }
  return block.end > block.begin ? std::optional(block) : std::nullopt;
}

std::optional<Range> HereDocument(std::string_view text, size_t value) {
  size_t at = value;
  if (IsQuote(CharAt(text, at))) ++at;
  for (const std::string_view command : {"$(cat", "`cat"}) {
    if (text.substr(at).starts_with(command)) at += command.size() + BlanksAt(text, at + command.size());
  }
  if (CharAt(text, at) != '<' || CharAt(text, at + 1) != '<') return std::nullopt;
  at += 2;
  if (IsOneOf(CharAt(text, at), "<-~")) ++at;
  at += BlanksAt(text, at);
  while (IsQuote(CharAt(text, at)) || CharAt(text, at) == '\\') ++at;
  size_t tag_end = at;
  while (IsAlnum(CharAt(text, tag_end)) || CharAt(text, tag_end) == '_') ++tag_end;
  const std::string_view tag = text.substr(std::min(at, text.size()), tag_end - at);
  if (tag.empty()) return std::nullopt;
  const auto [header_end, first] = LineFrom(text, tag_end);
  if (first == header_end) return std::nullopt;
  Range block{first, first};
  for (size_t line = first; line < text.size() && line - first < kMaxBlock;) {
    const auto [end, next] = LineFrom(text, line);
    const size_t content = line + BlanksAt(text, line);
    const std::string_view rest = text.substr(content, end - std::min(content, end));
    if (rest.starts_with(tag) && !IsAlnum(CharAt(rest, tag.size()))) break;
    block.end = end;
    if (next == end) break;
    line = next;
  }
  while (block.begin < block.end && IsBlank(text[block.begin])) ++block.begin;
  return block.end > block.begin ? std::optional(block) : std::nullopt;
}

}  // namespace

LineEnds LineFrom(std::string_view text, size_t at) {
  bool is_escaped = false;
  if (at > 0 && text[at - 1] == 'n') is_escaped = at > 1 && text[at - 2] == '\\';
  for (size_t end = at; end < text.size(); ++end) {
    if (const size_t size = LineBreakSize(text, end); size > 0) return {end, end + size};
    if (is_escaped && IsQuote(text[end])) return {end, end};
  }
  return {text.size(), text.size()};
}

size_t IndentationAt(std::string_view text, size_t at) {
  constexpr size_t kMaxBytesBefore = 400;
  size_t begin = at;
  while (begin > 0 && at - begin < kMaxBytesBefore) {
    if (text[begin - 1] == '\n' || (text[begin - 1] == 'n' && begin > 1 && text[begin - 2] == '\\')) break;
    --begin;
  }
  size_t indentation = BlanksAt(text, begin);
  while (CharAt(text, begin + indentation) == '-' && IsBlank(CharAt(text, begin + indentation + 1)))
    indentation += 1 + BlanksAt(text, begin + indentation + 1);
  return indentation;
}

std::optional<Range> FindBlock(const ScannedText& scan, size_t name, size_t value) {
  if (std::optional<Range> block = YamlBlock(scan.text, name, value)) return block;
  return HereDocument(scan.text, value);
}

}  // namespace sparkprof::redaction
