// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/redaction/assignment.h"
#include "base/redaction/characters.h"
#include "base/redaction/rules.h"
#include "base/redaction/secrecy.h"

namespace sparkprof::redaction {
namespace {

// The capital letter in the scripts of [other-language] that have capitals, else the letter itself.
uint32_t CapitalOf(uint32_t code) {
  constexpr std::pair<uint32_t, uint32_t> kGreek[] = {{0x3ac, 0x386}, {0x3ad, 0x388}, {0x3ae, 0x389}, {0x3af, 0x38a},
                                                      {0x3c2, 0x3a3}, {0x3cc, 0x38c}, {0x3cd, 0x38e}, {0x3ce, 0x38f}};
  for (const auto& [lower, capital] : kGreek) {
    if (code == lower) return capital;
  }
  const auto is_within = [code](uint32_t first, uint32_t last) { return code >= first && code <= last; };
  if (is_within(0xe0, 0xfe) || is_within(0x3b1, 0x3c9) || is_within(0x430, 0x44f)) return code - 0x20;
  if (is_within(0x450, 0x45f)) return code - 0x50;
  if (is_within(0x139, 0x148) || is_within(0x179, 0x17e)) return code % 2 == 0 ? code - 1 : code;
  if (is_within(0x100, 0x17f) || is_within(0x1ea0, 0x1eff)) return code % 2 == 1 ? code - 1 : code;
  return code;
}

// Capitalizes the first `count` letters except ASCII, which a search compares case-insensitively.
std::string Capitalized(std::string_view name, size_t count) {
  std::string text;
  for (size_t at = 0; at < name.size();) {
    const auto byte = static_cast<unsigned char>(name[at]);
    const size_t size = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : 3;
    uint32_t code = size == 1 ? byte : size == 2 ? byte & 0x1fU : byte & 0xfU;
    for (size_t i = 1; i < size; ++i) code = code << 6 | (static_cast<unsigned char>(name[at + i]) & 0x3fU);
    AppendUtf8(count > 0 && size > 1 ? CapitalOf(code) : code, &text);
    if (count > 0) --count;
    at += size;
  }
  return text;
}

bool IsOther(char c) { return static_cast<unsigned char>(c) >= 0x80; }

// Whether a byte belongs to a non-ASCII letter instead of a sign (U+00A0, U+2019, U+3001, U+FF1A).
bool IsLetterOfOther(std::string_view text, size_t at) {
  if (!IsOther(text[at])) return false;
  size_t lead = at;
  while (lead > 0 && (static_cast<unsigned char>(text[lead]) & 0xc0) == 0x80 && at - lead < 3) --lead;
  const auto first = static_cast<unsigned char>(text[lead]);
  const auto second = static_cast<unsigned char>(CharAt(text, lead + 1));
  const bool is_sign = first == 0xc2 || first == 0xe2 || (first == 0xe3 && second == 0x80) || first == 0xef;
  return !is_sign;
}

// Position after `writing` at `at`; 0 if it is not there.
size_t BehindWriting(std::string_view text, size_t at, std::string_view writing) {
  constexpr std::string_view kNoBreakSpace = "\xc2\xa0";
  for (const char c : writing) {
    if (c != '_') {
      if (Lower(CharAt(text, at)) != Lower(c)) return 0;
      ++at;
    } else if (IsOneOf(CharAt(text, at), " _-")) {
      ++at;
    } else if (text.substr(std::min(at, text.size())).starts_with(kNoBreakSpace)) {
      at += kNoBreakSpace.size();
    }
  }
  return at;
}

}  // namespace

void AddWritings(std::string_view name, std::deque<std::string>* writings) {
  for (const size_t capitals : {size_t{0}, size_t{1}, name.size()}) {
    std::string writing = Capitalized(name, capitals);
    if (std::find(writings->begin(), writings->end(), writing) == writings->end())
      writings->push_back(std::move(writing));
  }
}

void AddLeet(std::string_view word, std::deque<std::string>* writings) {
  constexpr std::pair<char, std::string_view> kSigns[] = {{'a', "4@"}, {'e', "3"},  {'i', "1!"},
                                                          {'o', "0"},  {'s', "5$"}, {'t', "7"}};
  std::deque<std::string> all = {""};
  for (const char letter : word) {
    std::deque<std::string> longer;
    for (const std::string& begun : all) {
      longer.push_back(begun + letter);
      for (const auto& [of, signs] : kSigns) {
        if (of != letter) continue;
        for (const char sign : signs) longer.push_back(begun + sign);
      }
    }
    all = std::move(longer);
  }
  for (std::string& writing : all) {
    if (writing != word) writings->push_back(std::move(writing));
  }
}

std::string_view BeginningOf(std::string_view writing) { return writing.substr(0, writing.find('_')); }

size_t RedactSpelled(ScannedText* scan, size_t at, std::string_view writing) {
  const std::string_view text = scan->text;
  const size_t behind = BehindWriting(text, at, writing);
  if (behind == 0) return at + 1;
  const bool goes_on = at > scan->from && IsLetter(text[at - 1]) && IsLetter(text[at]);
  if (goes_on && !(IsLower(text[at - 1]) && IsUpper(text[at]))) return at + 1;
  size_t begin = at;
  while (begin > scan->from && at - begin < kMaxAssignedName &&
         (IsNameCharacter(text[begin - 1]) || IsOther(text[begin - 1])))
    --begin;
  size_t end = behind;
  while (end < text.size() && (IsNameCharacter(text[end]) || IsLetterOfOther(text, end))) ++end;
  // "p4ssw0rd.file" is a different name.
  const std::string similar = "password" + std::string(text.substr(behind, end - behind));
  if (SecrecyOf(similar) != Secrecy::kStrong) return end;
  return RedactNamed(scan, {begin, end}, Secrecy::kStrong, end);
}

}  // namespace sparkprof::redaction
