// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/private_key.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/redaction/characters.h"
#include "base/redaction/decoded_text.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxKey = size_t{64} << 10;
constexpr size_t kMaxLabel = 64;
constexpr size_t kLineOfKey = 40;  // PEM has 64 characters, OpenSSH 70; the last line may be shorter
constexpr size_t kNoMarker = std::string_view::npos;

struct Marker {
  std::string_view literal;
  bool has_label;  // the label in "-----BEGIN … PRIVATE KEY-----"
};
constexpr Marker kBegins[] = {{"-----begin", true}, {"---- begin", true}, {"putty-user-key-file", false}};
constexpr Marker kEnds[] = {{"-----end", true}, {"---- end", true}, {"private-mac", false}, {"private-hash", false}};

// Lines between the first one and the key.
constexpr std::string_view kHeaders[] = {
    "proc-type:",  "dek-info:",     "version:",       "comment:", "hash:",           "charset:",
    "encryption:", "public-lines:", "private-lines:", "subject:", "key-derivation:", "argon2-"};

// End of the line of a marker at `at`; kNoMarker if it belongs to another object.
size_t MarkersEnd(std::string_view text, size_t at, const Marker& marker) {
  size_t end = at + marker.literal.size();
  if (!marker.has_label) {
    while (end < text.size() && !IsOneOf(text[end], "\n\r\\\"")) ++end;
    return end;
  }
  const std::string_view label = text.substr(end, kMaxLabel);
  size_t key = FindIgnoringCase(label, "private");
  if (key != kNoMarker) {
    size_t word = key + 7;
    while (word < label.size() && word < key + 10 && IsOneOf(label[word], " +_-%20")) ++word;
    key = HasAt(label, word, "key") ? word + 3 : kNoMarker;
  } else if (key = FindIgnoringCase(label, "static key"); key != kNoMarker) {
    key += 10;
  }
  if (key == kNoMarker) return kNoMarker;
  const size_t dashes = text.substr(end, key + kMaxLabel).find("----", key);
  end += dashes == kNoMarker ? key : dashes;
  for (int dashes_left = 5; dashes_left > 0 && CharAt(text, end) == '-'; --dashes_left) ++end;
  return end;
}

bool IsOfKey(char c) { return IsAlnum(c) || IsOneOf(c, "+/="); }

size_t KeyEnd(std::string_view line, size_t at) {
  while (at < line.size() && (IsOfKey(line[at]) || (line[at] == '\\' && CharAt(line, at + 1) == '/'))) ++at;
  return at;
}

// Whether it is base64 of a few bytes instead of a word.
bool IsMixed(std::string_view word) {
  const auto has = [&](auto is) { return std::any_of(word.begin(), word.end(), is); };
  if (word.ends_with('=') || has([](char c) { return c == '+'; })) return true;
  if (!has(IsLetter)) return false;
  return has(IsDigit) || (has(IsLower) && std::any_of(word.begin() + 1, word.end(), IsUpper));
}

// The part of a line between quotes, brackets and escaped line ends: 'MII…\n' +
Range CoreOf(std::string_view line) {
  size_t begin = 0;
  size_t end = line.size();
  while (begin < end && (IsSpace(line[begin]) || IsOneOf(line[begin], "\"'`>|,[({"))) ++begin;
  for (;;) {
    if (end > begin && (IsSpace(line[end - 1]) || IsOneOf(line[end - 1], "\"'`\\,;)]}"))) {
      --end;
    } else if (end > begin + 1 && IsOneOf(line[end - 1], "nr") && line[end - 2] == '\\') {
      end -= 2;
    } else if (end > begin + 1 && line[end - 1] == '+' && IsSpace(line[end - 2])) {
      --end;  // in source code
    } else {
      return {begin, end};
    }
  }
}

// The part of a line that belongs to a key; empty for other lines. `follows`: whether the previous line was part of it.
Range PartOfKey(std::string_view line, bool follows) {
  const Range core = CoreOf(line);
  if (core.begin == core.end) return {};
  if (KeyEnd(line, core.begin) >= core.end) {
    const std::string_view word = line.substr(core.begin, core.end - core.begin);
    return follows || (word.size() >= 20 && IsMixed(word)) || word.ends_with('=') ? core : Range{};
  }
  Range part = {};
  size_t word = core.begin;
  for (size_t at = core.begin; at < core.end; ++at) {
    if (!IsOfKey(line[at])) continue;
    word = at;
    at = std::min(KeyEnd(line, at), core.end);
    if (at - word < kLineOfKey || !IsMixed(line.substr(word, at - word))) continue;
    if (part.end == 0) part.begin = word;
    part.end = at;
  }
  if (part.end > 0) {
    if (std::min(KeyEnd(line, word), core.end) == core.end && line.substr(part.end, word - part.end) == " ") {
      part.end = core.end;
    }
    return part;
  }
  // The last, short line: quoted with text after it, or after a log header.
  const size_t first_end = KeyEnd(line, core.begin);
  const bool is_first = line.substr(0, core.begin).find(',') == kNoMarker;
  if (follows && is_first && first_end > core.begin && IsQuote(UnitAt(line, first_end).character)) {
    return {core.begin, first_end};
  }
  if (word < core.begin + 2 || std::min(KeyEnd(line, word), core.end) < core.end) return {};
  const std::string_view last = line.substr(word, core.end - word);
  const bool is_behind_header = IsQuote(line[word - 1]) || (line[word - 1] == ' ' && IsOneOf(line[word - 2], ":-]|>)"));
  const bool is_long = last.size() >= (follows ? 4 : 20) || last.ends_with('=');
  return is_behind_header && is_long && IsMixed(last) ? Range{word, core.end} : Range{};
}

bool IsHeader(std::string_view line) {
  const Range core = CoreOf(line);
  return std::any_of(std::begin(kHeaders), std::end(kHeaders),
                     [&](std::string_view header) { return HasAt(line, core.begin, header); });
}

struct Found {
  size_t begin = kNoMarker;
  size_t end = 0;
  bool is_begin = false;
};

// Finds the first marker of a private key from `from` on.
Found FindMarker(std::string_view text, size_t from) {
  for (size_t at = from; at < text.size(); ++at) {
    const char c = Lower(text[at]);
    if (c != '-' && c != 'p') continue;
    if (c == '-' && !text.substr(at).starts_with("----")) continue;
    for (const Marker& marker : kBegins) {
      if (!HasAt(text, at, marker.literal)) continue;
      if (const size_t end = MarkersEnd(text, at, marker); end != kNoMarker) return {at, end, true};
    }
    for (const Marker& marker : kEnds) {
      if (!HasAt(text, at, marker.literal)) continue;
      if (const size_t end = MarkersEnd(text, at, marker); end != kNoMarker) return {at, end, false};
    }
  }
  return {};
}

// End of the line at `at`, and start of the next one, after a newline or an escaped one.
std::pair<size_t, size_t> LineEnd(std::string_view text, size_t at) {
  for (; at < text.size(); ++at) {
    if (text[at] == '\n') return {at, at + 1};
    if (text[at] != '\\') continue;
    const size_t letter = SkipBackslashes(text, at);
    if (CharAt(text, letter) == 'n' || CharAt(text, letter) == 'r') return {at, letter + 1};
    at = std::max(at, letter - 1);
  }
  return {at, at};
}

}  // namespace

void PrivateKeyLines::Add(std::string_view line, size_t offset, std::vector<Range>* secrets) {
  size_t at = 0;
  while (at < line.size()) {
    Found marker = FindMarker(line, at);
    const std::string_view before = line.substr(at, std::min(marker.begin, line.size()) - at);
    if (IsOpen()) {
      const Range part = PartOfKey(before, other_lines_ == 0);
      if (part.end > part.begin) {
        secrets->push_back({offset + at + part.begin, offset + at + part.end});
        other_lines_ = 0;
      } else if (marker.begin == kNoMarker && at == 0 && !IsHeader(line) && ++other_lines_ > kMaxOtherLines) {
        open_ = 0;
      }
    }
    if (marker.begin == kNoMarker) return;
    if (marker.is_begin) marker.end = KeyEnd(line, marker.end);
    if (marker.is_begin || IsOpen()) secrets->push_back({offset + marker.begin, offset + marker.end});
    open_ = std::clamp(open_ + (marker.is_begin ? 1 : -1), 0, kMaxOpen);
    other_lines_ = 0;
    at = marker.end;
  }
}

void PrivateKeyLines::AddText(std::string_view text, std::vector<Range>* secrets) {
  std::vector<Range> own;
  bool continues = IsOpen();
  for (size_t line = 0; line < text.size();) {
    const auto [end, next] = LineEnd(text, line);
    Add(text.substr(line, end - line), line, continues ? secrets : &own);
    continues = continues && IsOpen();
    line = std::max(next, line + 1);
  }
}

bool MayHavePrivateKey(std::string_view text) {
  return text.find("BEGIN ") != kNoMarker || text.find("PuTTY-User") != kNoMarker;
}

size_t RedactPrivateKey(ScannedText* scan, size_t at) {
  const std::string_view text = scan->text.substr(0, at + kMaxKey);
  const Found begin = FindMarker(text.substr(0, at + 2 * kMaxLabel), at);
  if (begin.begin != at || !begin.is_begin) return at + 1;
  const Found end = FindMarker(text, begin.end);
  if (end.begin != kNoMarker && !end.is_begin) return scan->Redact(at, end.end);
  // The key is truncated, or interleaved with another one.
  PrivateKeyLines lines;
  std::vector<Range> secrets;
  for (size_t line = at; line < text.size();) {
    const auto [line_end, next] = LineEnd(text, line);
    lines.Add(text.substr(line, line_end - line), line, &secrets);
    if (!lines.IsOpen() || next == line_end) break;
    line = next;
  }
  scan->Redact(secrets.front().begin, secrets.front().end);
  for (size_t i = 1; i < secrets.size(); ++i) scan->Redact(secrets[i].begin, secrets[i].end);
  return scan->from;
}

}  // namespace sparkprof::redaction
