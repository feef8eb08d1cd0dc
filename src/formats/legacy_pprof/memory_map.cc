// SPDX-License-Identifier: Apache-2.0
#include "formats/legacy_pprof/memory_map.h"

#include <algorithm>
#include <charconv>

#include "base/characters.h"
#include "base/lines.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxVariables = 64;

bool IsBlankInMap(char c) { return c == ' ' || c == '\t'; }

void SkipBlanks(std::string_view* text) {
  while (!text->empty() && IsBlankInMap(text->front())) text->remove_prefix(1);
}

std::optional<uint64_t> TakeHex(std::string_view* text) {
  if (text->starts_with("0x")) text->remove_prefix(2);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number, 16);
  if (error != std::errc()) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return number;
}

// The next word, which stays if it is not of this kind.
template <typename Is>
std::optional<std::string_view> TakeMapWord(std::string_view* text, Is&& is) {
  std::string_view rest = *text;
  SkipBlanks(&rest);
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  if (word.empty() || rest.size() == text->size() || !is(word)) return std::nullopt;
  *text = rest.substr(word.size());
  return word;
}

bool IsHex(std::string_view word) { return std::all_of(word.begin(), word.end(), IsHexDigit); }
bool IsPermissions(std::string_view word) { return word.find_first_not_of("-rwxp") == std::string_view::npos; }
bool IsDevice(std::string_view word) {
  const size_t colon = word.find(':');
  return colon != std::string_view::npos && colon > 0 && colon + 1 < word.size() && IsHex(word.substr(0, colon)) &&
         IsHex(word.substr(colon + 1));
}
bool IsAny(std::string_view) { return true; }

// True for "LIBRARY.so" and "LIBRARY.so.6".
bool IsLibrary(std::string_view file) {
  for (size_t at = file.find(".so"); at != std::string_view::npos; at = file.find(".so", at + 1)) {
    const std::string_view rest = file.substr(at + 3);
    if (rest.empty() || ((rest[0] == '.' || rest[0] == '_') && rest.size() > 1 && IsDigit(rest[1]))) return true;
  }
  return false;
}

// The line without glog's prefix: "I0101 12:00:00.000 7 file.cc:12] ".
std::string_view WithoutLogHeader(std::string_view line) {
  const size_t end = line.find_first_of("[]");
  if (end == std::string_view::npos || line[end] == '[' || end + 1 >= line.size() || !IsBlankInMap(line[end + 1])) {
    return line;
  }
  const size_t colon = line.substr(0, end).rfind(':');
  if (colon == std::string_view::npos || colon == 0 || !IsDigits(line.substr(colon + 1, end - colon - 1))) return line;
  return line.substr(end + 2);
}

}  // namespace

std::string MemoryMap::WithValues(std::string_view line) const {
  std::string text(line);
  for (const auto& [name, value] : values_) {
    const size_t at = text.find(name);
    if (at != std::string::npos) text.replace(at, name.size(), value);
  }
  return text;
}

void MemoryMap::AddLine(std::string_view line) {
  const std::string text = values_.empty() ? std::string(line) : WithValues(line);
  std::string_view rest = WithoutLogHeader(text);
  const std::string_view whole = rest;
  while (!rest.empty() && IsBlankInMap(rest.front())) rest.remove_prefix(1);
  Mapping mapping;
  const std::optional<uint64_t> start = TakeHex(&rest);
  if (start && !rest.empty() && (rest.front() == '-' || IsBlankInMap(rest.front()))) rest.remove_prefix(1);
  SkipBlanks(&rest);
  const std::optional<uint64_t> limit = start ? TakeHex(&rest) : std::nullopt;
  if (!limit) {
    const size_t equals = whole.find('=');
    if (equals != std::string_view::npos && values_.size() < kMaxVariables) {
      values_.emplace_back("$" + std::string(Trim(whole.substr(0, equals))), Trim(whole.substr(equals + 1)));
    }
    return;
  }
  mapping.start = *start;
  mapping.limit = *limit;
  if (rest.starts_with(':')) rest.remove_prefix(1);
  const std::optional<std::string_view> permissions = TakeMapWord(&rest, IsPermissions);
  if (permissions && permissions->find('x') == std::string_view::npos) return;
  // /proc/PID/maps: offset, device, inode, file. Otherwise: file, "(@OFFSET)".
  std::string_view proc = rest;
  std::optional<std::string_view> offset = TakeMapWord(&proc, IsHex);
  if (TakeMapWord(&proc, IsDevice) && TakeMapWord(&proc, IsDigits)) {
    mapping.file = TakeMapWord(&proc, IsAny).value_or(std::string_view());
  } else {
    mapping.file = TakeMapWord(&rest, IsAny).value_or(std::string_view());
    offset = TakeMapWord(&rest, [](std::string_view word) { return word.starts_with("(@") && word.ends_with(')'); });
    if (offset) offset = offset->substr(2, offset->size() - 3);
  }
  if (offset) mapping.offset = TakeHex(&*offset).value_or(0);
  mappings_.push_back(std::move(mapping));
}

void MemoryMap::AddLines(std::string_view lines) {
  while (!lines.empty()) AddLine(WithoutCarriageReturn(TakeLine(&lines)));
}

void MemoryMap::Finish() {
  // Parts of a file that follow each other are one mapping.
  std::vector<Mapping> merged;
  for (Mapping& mapping : mappings_) {
    if (!merged.empty()) {
      Mapping& last = merged.back();
      const bool same_file = last.file.empty() || mapping.file.empty() || last.file == mapping.file;
      const bool offsets_fit =
          last.offset == 0 || mapping.offset == 0 || last.offset + (last.limit - last.start) == mapping.offset;
      if (same_file && last.limit == mapping.start && offsets_fit) {
        last.limit = mapping.limit;
        if (!mapping.file.empty()) last.file = std::move(mapping.file);
        continue;
      }
    }
    merged.push_back(std::move(mapping));
  }
  mappings_ = std::move(merged);
  // The program itself is the first one.
  const auto program = std::find_if(mappings_.begin(), mappings_.end(), [](const Mapping& mapping) {
    return !mapping.file.empty() && mapping.file != "(deleted)" && !IsLibrary(mapping.file) && mapping.file[0] != '[';
  });
  if (program != mappings_.end()) std::iter_swap(mappings_.begin(), program);
  if (mappings_.size() > 1 && mappings_[0].file.starts_with("/anon_hugepage") &&
      mappings_[0].limit == mappings_[1].start) {
    mappings_.erase(mappings_.begin());
  }
  constexpr uint64_t kUsualStart = 0x400000;
  if (!mappings_.empty() && mappings_[0].start - mappings_[0].offset == kUsualStart) {
    mappings_[0].start = kUsualStart;
    mappings_[0].offset = 0;
  }
  std::stable_sort(mappings_.begin(), mappings_.end(),
                   [](const Mapping& a, const Mapping& b) { return a.start < b.start; });
}

std::string_view MemoryMap::FileOf(uint64_t address) const {
  const auto after = std::upper_bound(mappings_.begin(), mappings_.end(), address,
                                      [](uint64_t at, const Mapping& mapping) { return at < mapping.start; });
  if (address == 0) return {};
  if (after != mappings_.begin() && address < std::prev(after)->limit) return std::prev(after)->file;
  // Some profiles lack the first part of a file that is mapped in parts.
  if (after != mappings_.end() && after->offset != 0 && after->start - after->offset <= address) return after->file;
  return {};
}

}  // namespace sparkprof
