// SPDX-License-Identifier: Apache-2.0
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/text/characters.h"
#include "base/text/escaped_text.h"

namespace sparkprof {
namespace {

// Length of the well-formed UTF-8 sequence at the start of `text`, 0 if there is none. RFC 3629; Unicode table 3-7.
size_t Utf8SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const auto continues = [&](size_t i, uint8_t low = 0x80, uint8_t high = 0xBF) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const uint8_t low = first == 0xE0 ? 0xA0 : 0x80;
    const uint8_t high = first == 0xED ? 0x9F : 0xBF;
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const uint8_t low = first == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = first == 0xF4 ? 0x8F : 0xBF;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

// Number of bytes before the first non-ASCII byte; most texts have none.
size_t AsciiLength(std::string_view text) {
  size_t length = 0;
  for (uint64_t word; length + sizeof word <= text.size(); length += sizeof word) {
    std::memcpy(&word, text.data() + length, sizeof word);
    if ((word & 0x8080808080808080) != 0) break;
  }
  while (length < text.size() && static_cast<signed char>(text[length]) >= 0) ++length;
  return length;
}

}  // namespace

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  for (;;) {
    const size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

size_t LongestEnding(std::string_view text, std::string_view endings) {
  size_t longest = 0;
  for (const std::string_view ending : Split(endings, ' ')) {
    if (text.size() > ending.size() && text.ends_with(ending)) longest = std::max(longest, ending.size());
  }
  return longest;
}

std::string ToLowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::string FormatDuration(int64_t nanos) {
  const double value = static_cast<double>(nanos);
  const double size = std::abs(value);
  // Values that round to a whole larger unit are shown in that unit: "1.0 s", not "1000 ms".
  if (size >= 3597e9) return fmt::format("{:.1f} h", value / 3600e9);
  if (size >= 119.95e9) return fmt::format("{:.1f} min", value / 60e9);
  if (size >= 999.5e6) return fmt::format("{:.1f} s", value / 1e9);
  if (size >= 999.5e3) return fmt::format("{:.0f} ms", value / 1e6);
  if (size >= 1e3) return fmt::format("{:.0f} us", value / 1e3);
  return fmt::format("{} ns", nanos);
}

std::string FormatBytes(int64_t bytes) {
  constexpr std::array<const char*, 5> kNames{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (std::abs(static_cast<double>(bytes)) < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (std::abs(value) >= 1023.5 && unit + 1 < kNames.size()) {
    value /= 1024;
    ++unit;
  }
  return std::abs(value) >= 99.95 ? fmt::format("{:.0f} {}", value, kNames[unit])
                                  : fmt::format("{:.1f} {}", value, kNames[unit]);
}

std::string FormatShare(double share) { return fmt::format("{:.1f}%", share * 100); }

std::string Base64Encode(std::string_view bytes) {
  static constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = static_cast<uint8_t>(bytes[i]) << 16;
    if (i + 1 < bytes.size()) group |= static_cast<uint8_t>(bytes[i + 1]) << 8;
    if (i + 2 < bytes.size()) group |= static_cast<uint8_t>(bytes[i + 2]);
    text += kAlphabet[group >> 18];
    text += kAlphabet[(group >> 12) & 63];
    text += i + 1 < bytes.size() ? kAlphabet[(group >> 6) & 63] : '=';
    text += i + 2 < bytes.size() ? kAlphabet[group & 63] : '=';
  }
  return text;
}

std::optional<std::string> Base64Decode(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    uint32_t digit = 0;
    if (IsUpper(c)) {
      digit = static_cast<uint32_t>(c - 'A');
    } else if (IsLower(c)) {
      digit = static_cast<uint32_t>(c - 'a') + 26;
    } else if (IsDigit(c)) {
      digit = static_cast<uint32_t>(c - '0') + 52;
    } else if (c == '+' || c == '/') {
      digit = c == '+' ? 62 : 63;
    } else {
      return std::nullopt;
    }
    group = group << 6 | digit;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xFF);
  }
  return bytes;
}

bool IsUtf8(std::string_view text) {
  for (text.remove_prefix(AsciiLength(text)); !text.empty(); text.remove_prefix(AsciiLength(text))) {
    const size_t length = Utf8SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string ToUtf8(std::string_view text) {
  if (IsUtf8(text)) return std::string(text);
  std::string clean;
  clean.reserve(text.size() + 16);
  while (!text.empty()) {
    const size_t ascii = AsciiLength(text);
    clean.append(text.substr(0, ascii));
    text.remove_prefix(ascii);
    if (text.empty()) break;
    const size_t length = Utf8SequenceLength(text);
    if (length == 0) {
      clean += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    } else {
      clean.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return clean;
}

std::string_view CutUtf8(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

std::string Shorten(std::string_view text, size_t most) {
  const std::string_view start = CutUtf8(text, most);
  return std::string(start) + (start.size() < text.size() ? "…" : "");
}

std::string ToOneLine(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\t', ' ');
  std::replace(line.begin(), line.end(), '\n', '\x7f');
  return ForTerminal(line);
}

std::string MaskNumbers(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (!IsDigit(c)) {
      result += c;
    } else if (result.empty() || result.back() != '#') {
      result += '#';
    }
  }
  return result;
}

std::string FormatDurationRange(int64_t low_ns, int64_t high_ns) {
  const std::string whole = FormatDuration(high_ns);
  const std::string unit = whole.substr(whole.find(' ') + 1);
  const double size = unit == "h" ? 3600e9 : unit == "min" ? 60e9 : unit == "s" ? 1e9 : 1e6;
  const auto digits = [&](int64_t ns) {
    const double value = static_cast<double>(ns) / size;
    return size == 1e6 || value >= 9.95 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
  };
  const std::string low = digits(low_ns), high = digits(high_ns);
  if (low == high) return whole;
  if (low == "0" || low == "0.0") return fmt::format("up to {}", whole);
  return fmt::format("{}–{} {}", low, high, unit);
}

}  // namespace sparkprof
