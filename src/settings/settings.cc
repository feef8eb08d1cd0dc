// SPDX-License-Identifier: Apache-2.0
#include "settings/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/text/characters.h"
#include "base/text/quantity.h"
#include "base/text/text.h"
#include "base/text/typing_errors.h"

namespace sparkprof {
namespace {

constexpr auto kKindNames = std::to_array<std::string_view>(
    {"flag", "fraction", "duration", "bytes", "choice", "choices", "text", "location", "url", "secret", "count"});

bool IsControl(char c) { return (c >= 0 && c < ' ') || c == 0x7F; }

SettingKind KindOf(std::string_view name) {
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (found == kKindNames.end()) throw std::logic_error(fmt::format("settings.tsv: unknown kind {}", name));
  return static_cast<SettingKind>(found - kKindNames.begin());
}

std::vector<Setting> ReadTable() {
  std::vector<Setting> settings;
  for (const std::string_view line : Split(kSettingsTable, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string_view> cells = Split(line, '\t');
    if (cells.size() != 7) throw std::logic_error(fmt::format("settings.tsv: expected 7 columns: {}", line));
    settings.push_back({cells[0], KindOf(cells[1]), cells[2], cells[3], cells[4], cells[5] == "yes", cells[6]});
  }
  return settings;
}

Result<int64_t> ParseCount(std::string_view text) {
  if (!IsDigits(text)) return Fail("is not a whole number");
  const size_t significant = std::min(text.find_first_not_of('0'), text.size());
  // A number that does not fit is outside every range.
  return ParseInteger(text.substr(significant).empty() ? "0" : text.substr(significant)).value_or(INT64_MAX);
}

Result<std::string> ReadQuantity(const Setting& setting, std::string_view text) {
  const auto parse = setting.kind == SettingKind::kDuration ? ParseDuration
                     : setting.kind == SettingKind::kCount  ? ParseCount
                                                            : ParseBytes;
  const Result<int64_t> value = parse(text);
  if (!value) return tl::unexpected(value.error());
  const size_t dots = setting.allowed.find("..");
  const std::string_view least = setting.allowed.substr(0, dots), most = setting.allowed.substr(dots + 2);
  if (*value < parse(least).value() || *value > parse(most).value()) {
    return Fail(fmt::format("is out of range; use {} to {}", least, most));
  }
  return fmt::format("{}", *value);
}

Result<std::string> ReadChoices(const Setting& setting, const std::string& text) {
  const std::vector<std::string_view> allowed = Split(setting.allowed, ',');
  std::vector<bool> chosen(allowed.size());
  bool any = false;
  for (const std::string_view part : Split(text, ',')) {
    if (Trim(part).empty()) continue;
    const auto found = std::find(allowed.begin(), allowed.end(), Trim(part));
    if (found == allowed.end()) any = false;
    if (found == allowed.end()) break;
    chosen[static_cast<size_t>(found - allowed.begin())] = any = true;
  }
  if (!any) return Fail(fmt::format("is not a list of {}", fmt::join(allowed, ", ")));
  std::string canonical;
  for (size_t i = 0; i < allowed.size(); ++i) {
    if (chosen[i]) canonical += (canonical.empty() ? "" : ",") + std::string(allowed[i]);
  }
  return canonical;
}

Result<std::string> ReadText(std::string_view text) {
  if (text.empty()) return Fail("is empty");
  if (std::any_of(text.begin(), text.end(), IsControl)) return Fail("has control characters");
  if (!IsUtf8(text)) return Fail("is not UTF-8");
  return std::string(text);
}

Result<std::string> ReadLocation(std::string_view text) {
  Result<std::string> read = ReadText(text);
  if (!read || !IsUri(text)) return read;
  constexpr std::string_view kMarks = " -._~:/@!$&'()*+,;=";
  std::string_view rest = text.substr(text.find(':') + 1);
  bool valid = rest.starts_with('/') && rest != "//";
  for (; valid && !rest.empty(); rest.remove_prefix(1)) {
    const char c = rest.front();
    if (c == '%') {
      valid = rest.size() > 2 && IsHexDigit(rest[1]) && IsHexDigit(rest[2]);
    } else {
      valid = IsLetter(c) || IsDigit(c) || kMarks.find(c) != std::string_view::npos;
    }
  }
  if (!valid) return Fail("is not a URI such as hdfs:///profiles, nor a path");
  return read;
}

// The length of the host at the start of `text`; 0 = none.
size_t HostLength(std::string_view text) {
  if (!text.starts_with('[')) {
    const auto is_host = [](char c) { return IsLetter(c) || IsDigit(c) || c == '.' || c == '-' || c == '_'; };
    return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_host) - text.begin());
  }
  const size_t end = text.find(']');
  if (end == std::string_view::npos || end == 1) return 0;
  const auto is_address = [](char c) { return IsHexDigit(c) || c == ':' || c == '.'; };
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(end), is_address) ? end + 1 : 0;
}

bool IsUrlPath(std::string_view text) {
  constexpr std::string_view kMarks = "-._~/";
  if (!text.empty() && !text.starts_with('/')) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return IsLetter(c) || IsDigit(c) || kMarks.find(c) != std::string_view::npos; });
}

Result<std::string> ReadUrl(std::string_view text) {
  constexpr size_t kMaxPortDigits = 5;
  const size_t end = text.find("://");
  const std::string scheme = ToLowerAscii(text.substr(0, end));
  if (end != std::string_view::npos && (scheme == "http" || scheme == "https")) {
    while (text.ends_with('/')) text.remove_suffix(1);
    std::string_view rest = text.size() > end + 3 ? text.substr(end + 3) : std::string_view();
    const size_t host = HostLength(rest);
    rest.remove_prefix(host);
    bool valid = host > 0;
    if (rest.starts_with(':')) {
      rest.remove_prefix(1);
      const size_t digits = static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), IsDigit) - rest.begin());
      valid = valid && digits > 0 && digits <= kMaxPortDigits;
      rest.remove_prefix(digits);
    }
    if (valid && IsUrlPath(rest)) return scheme + std::string(text.substr(end));
  }
  return Fail("is not a URL such as https://host:8320 (without user, query and fragment)");
}

Result<std::string> ReadSecret(std::string_view text) {
  const bool visible = std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
  if (!visible) return Fail("has characters other than letters, digits and ASCII punctuation");
  return std::string(text);
}

}  // namespace

const std::vector<Setting>& AllSettings() {
  static const std::vector<Setting> kSettings = ReadTable();
  return kSettings;
}

const Setting* SettingByKey(std::string_view key) {
  const std::vector<Setting>& all = AllSettings();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Setting& setting) { return setting.key == key; });
  return found == all.end() ? nullptr : &*found;
}

std::string_view NearestSettingKey(std::string_view key) {
  NearestName nearest(key);
  for (const Setting& setting : AllSettings()) nearest.Add(setting.key);
  return nearest.Get();
}

std::string MisspelledVariable(std::string_view name) {
  std::string meant;
  for (const Setting& setting : AllSettings()) {
    std::string known = EnvironmentName(setting.key);
    if (known == name) return {};
    if (TypingErrors(name, known) == 1) meant = std::move(known);
  }
  return meant;
}

std::string EnvironmentName(std::string_view key) {
  std::string name = "SPARKPROF_";
  for (const char c : key) {
    const bool is_capital = c >= 'A' && c <= 'Z';
    if (is_capital || c == '.') name += '_';
    if (is_capital) name += c;
    if (!is_capital && c != '.') name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  return name;
}

Result<std::string> ReadSetting(const Setting& setting, std::string_view text) {
  const std::string_view trimmed = Trim(text);
  const std::string lower = ToLowerAscii(trimmed);
  if (trimmed.empty()) return Fail("is empty");
  switch (setting.kind) {
    case SettingKind::kFlag:
      if (lower == "true" || lower == "false") return lower;
      return Fail("is not true or false");
    case SettingKind::kFraction:
      return ParseBillionths(trimmed).map([](int64_t value) { return fmt::format("{}", value); });
    case SettingKind::kDuration:
    case SettingKind::kBytes:
    case SettingKind::kCount:
      return ReadQuantity(setting, trimmed);
    case SettingKind::kChoice: {
      const std::vector<std::string_view> allowed = Split(setting.allowed, ',');
      if (std::find(allowed.begin(), allowed.end(), lower) != allowed.end()) return lower;
      return Fail(fmt::format("is not one of {}", fmt::join(allowed, ", ")));
    }
    case SettingKind::kChoices:
      return ReadChoices(setting, lower);
    case SettingKind::kText:
      return ReadText(trimmed);
    case SettingKind::kLocation:
      return ReadLocation(trimmed);
    case SettingKind::kUrl:
      return ReadUrl(trimmed);
    case SettingKind::kSecret:
      return ReadSecret(trimmed);
  }
  return Fail("is of an unknown kind");
}

std::string SettingRefusal(const Setting& setting, std::string_view name, std::string_view text, const Error& error) {
  return Refusal(name, setting.kind == SettingKind::kSecret ? "(hidden)" : text, error);
}

bool IsUri(std::string_view location) {
  const size_t colon = location.find(':');
  if (colon == std::string_view::npos || colon == 0 || !IsLetter(location.front())) return false;
  return std::all_of(location.begin(), location.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](char c) { return IsLetter(c) || IsDigit(c) || c == '+' || c == '-' || c == '.'; });
}

}  // namespace sparkprof
