// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/redaction/characters.h"
#include "base/redaction/secrecy.h"

namespace sparkprof::redaction {
namespace {

bool IsSwitch(std::string_view value) {
  std::array<char, 16> lower;
  if (value.size() > lower.size()) return false;
  std::transform(value.begin(), value.end(), lower.begin(), Lower);
  return Rules::Get().harmless_values.contains(std::string_view(lower.data(), value.size()));
}

// ${NAME}, {{secrets/scope/name}}, <name>, ***
bool IsPlaceholder(std::string_view value) {
  if (std::all_of(value.begin(), value.end(), [](char c) { return c == '*'; })) return true;
  const bool is_enclosed = (value.starts_with("${") && value.find('}') == value.size() - 1) ||
                           (value.starts_with("{{") && value.find("}}") == value.size() - 2);
  return is_enclosed && value.find(':') == std::string_view::npos;
}

// 12, 1.5, 10s, 250ms, 64k, 512MB
bool IsQuantity(std::string_view value) {
  size_t digits = 0;
  size_t i = 0;
  if (value.starts_with('-')) ++i;
  for (; i < value.size() && (IsDigit(value[i]) || value[i] == '.'); ++i) digits += IsDigit(value[i]) ? 1 : 0;
  if (digits == 0 || digits > 5) return false;
  const std::string_view unit = value.substr(i);
  if (digits > 3 && digits == value.size()) return false;
  return unit.size() <= 2 && std::all_of(unit.begin(), unit.end(), IsLetter);
}

// org.apache.Name: at least two dots, packages in lower case, a class.
bool IsClassName(std::string_view value) {
  const size_t dot = value.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == value.size() || !IsUpper(value[dot + 1])) return false;
  const std::string_view packages = value.substr(0, dot);
  if (packages.find('.') == std::string_view::npos || !IsLower(packages.front())) return false;
  const auto in_package = [](char c) { return IsLower(c) || IsDigit(c) || c == '.' || c == '_'; };
  const auto in_class = [](char c) { return IsAlnum(c) || c == '$' || c == '_'; };
  return std::all_of(packages.begin(), packages.end(), in_package) &&
         std::all_of(value.begin() + static_cast<std::ptrdiff_t>(dot) + 1, value.end(), in_class);
}

// /etc/key.pem, but not base64 that starts with a slash.
bool IsPath(std::string_view value) {
  if (value.size() < 2 || !value.starts_with('/')) return false;
  size_t run = 0;
  for (const char c : value) {
    if (!IsAlnum(c) && !IsOneOf(c, "/._-")) return false;
    run = c == '/' ? 0 : run + 1;
    if (run >= 20) return false;
  }
  return true;
}

// Digits of a PIN or a one-time password.
bool IsCode(std::string_view value) {
  return value.size() >= 4 && value.size() <= 10 && std::all_of(value.begin(), value.end(), IsDigit);
}

// Spark, Hive and Livy use UUIDs as session IDs, and print them in every line.
bool IsUuid(std::string_view value) {
  if (value.size() != 36) return false;
  for (size_t i = 0; i < value.size(); ++i) {
    const bool is_hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_hyphen ? value[i] != '-' : HexValue(value[i]) < 0) return false;
  }
  return true;
}

}  // namespace

bool LooksLikeKey(std::string_view value) {
  bool has_letter = false;
  bool has_digit = false;
  for (const char c : value) {
    if (!IsAlnum(c) && !IsOneOf(c, "+/=_-.%")) return false;
    has_letter = has_letter || IsLetter(c);
    has_digit = has_digit || IsDigit(c);
  }
  return value.size() >= 16 && has_letter && has_digit && !IsPath(value);
}

bool IsHarmless(std::string_view value, Secrecy secrecy) {
  if (value.empty() || secrecy == Secrecy::kNone || IsSwitch(value) || IsPlaceholder(value)) return true;
  if (secrecy == Secrecy::kMaybe) return !LooksLikeKey(value) || IsClassName(value);
  if (secrecy == Secrecy::kCode) return !IsCode(value);
  if (secrecy == Secrecy::kSession) return IsQuantity(value) || IsClassName(value) || IsPath(value) || IsUuid(value);
  return secrecy == Secrecy::kWeak && (IsQuantity(value) || IsClassName(value) || IsPath(value));
}

bool IsEncodedUserAndPassword(std::string_view value) {
  while (value.ends_with('=')) value.remove_suffix(1);
  if (value.size() < 4) return false;
  bool has_colon = false;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : value) {
    int digit = IsUpper(c) ? c - 'A' : IsLower(c) ? c - 'a' + 26 : IsDigit(c) ? c - '0' + 52 : -1;
    if (c == '+' || c == '-') digit = 62;
    if (c == '/' || c == '_') digit = 63;
    if (digit < 0) return false;
    bits = (bits << 6) | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    const uint32_t byte = (bits >> count) & 0xff;
    if (byte < 0x20 || byte == 0x7f) return false;
    has_colon = has_colon || byte == ':';
  }
  return has_colon;
}

}  // namespace sparkprof::redaction
