// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdint>
#include <vector>

#include "base/text/characters.h"
#include "launch/submit_command.h"

namespace sparkprof {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

std::string_view SkipBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  return text;
}

bool EndsInOddBackslashes(std::string_view line) {
  const size_t last = line.find_last_not_of('\\');
  const size_t count = last == std::string_view::npos ? line.size() : line.size() - last - 1;
  return count % 2 == 1;
}

// Joins lines as java.util.Properties does: drops comments, empty lines and leading spaces, and merges continuation
// lines.
std::vector<std::string> LogicalLines(std::string_view text) {
  std::vector<std::string> lines;
  bool continues = false;
  while (!text.empty()) {
    const size_t end = text.find_first_of("\r\n");
    std::string_view line = SkipBlanks(text.substr(0, end));
    size_t next = end == std::string_view::npos ? text.size() : end + 1;
    if (end != std::string_view::npos && text[end] == '\r' && next < text.size() && text[next] == '\n') ++next;
    text.remove_prefix(next);
    if (!continues) {
      if (line.empty() || line.front() == '#' || line.front() == '!') continue;
      lines.emplace_back();
    }
    continues = EndsInOddBackslashes(line);
    if (continues) line.remove_suffix(1);
    lines.back() += line;
  }
  return lines;
}

std::string Unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      if (text[i] != '\\') out += text[i];
      continue;
    }
    const char c = text[++i];
    uint32_t code = 0;
    const char* hex = text.data() + i + 1;
    if (c == 'u' && i + 4 < text.size() && std::from_chars(hex, hex + 4, code, 16).ptr == hex + 4) {
      AppendUtf8(code, &out);
      i += 4;
    } else {
      constexpr std::string_view kNames = "tnrf", kMeant = "\t\n\r\f";
      const size_t index = kNames.find(c);
      out += index == std::string_view::npos ? c : kMeant[index];
    }
  }
  return out;
}

size_t KeyLength(std::string_view line) {
  bool escaped = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (!escaped && (IsBlank(line[i]) || line[i] == '=' || line[i] == ':')) return i;
    escaped = line[i] == '\\' && !escaped;
  }
  return line.size();
}

// Spark trims whitespace around a value but keeps line ends that were written as escapes.
std::string_view TrimExceptLineEnds(std::string_view text) {
  const auto trimmed = [](char c) { return static_cast<unsigned char>(c) <= ' ' && c != '\r' && c != '\n'; };
  while (!text.empty() && trimmed(text.front())) text.remove_prefix(1);
  while (!text.empty() && trimmed(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::map<std::string, std::string> ParseProperties(std::string_view text) {
  std::map<std::string, std::string> properties;
  for (const std::string& line : LogicalLines(text)) {
    const size_t key_length = KeyLength(line);
    std::string_view rest = SkipBlanks(std::string_view(line).substr(key_length));
    if (!rest.empty() && (rest.front() == '=' || rest.front() == ':')) rest = SkipBlanks(rest.substr(1));
    const std::string key = Unescape(std::string_view(line).substr(0, key_length));
    if (key.starts_with("spark.")) properties[key] = std::string(TrimExceptLineEnds(Unescape(rest)));
  }
  return properties;
}

}  // namespace sparkprof
