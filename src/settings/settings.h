// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

inline constexpr std::string_view kSettingPrefix = "spark.sparkprof.";

enum class SettingKind : uint8_t {
  kFlag,
  kFraction,
  kDuration,
  kBytes,
  kChoice,
  kChoices,
  kText,
  kLocation,
  kUrl,
  kSecret,
  kCount
};

// A row of settings/settings.tsv.
struct Setting {
  std::string_view key;  // after kSettingPrefix
  SettingKind kind = SettingKind::kText;
  std::string_view standard;  // empty = not set
  std::string_view allowed;   // "100us..1m", or comma-separated names
  std::string_view option;    // option of `sparkprof run`; empty = none
  bool is_central = false;    // whether a group's configuration on a server may set it
  std::string_view meaning;
};

const std::vector<Setting>& AllSettings();

// Null for an unknown key.
const Setting* SettingByKey(std::string_view key);

// The known key most similar to `key`; empty if none is similar.
std::string_view NearestSettingKey(std::string_view key);

// The variable of which `name` is a misspelling by one typo; empty if there is none or `name` is correct.
std::string MisspelledVariable(std::string_view name);

// "cpu.interval" → "SPARKPROF_CPU_INTERVAL", "maxSpool" → "SPARKPROF_MAX_SPOOL".
std::string EnvironmentName(std::string_view key);

// Converts a text to the setting's value according to settings/README.md: ns, bytes or billionths as an integer; "true"
// or "false"; lower-case names in the table's order; the trimmed text. Equivalent texts give equal values. The error
// describes the problem (base/text/quantity.h) and never contains the text.
Result<std::string> ReadSetting(const Setting& setting, std::string_view text);

// Error message for a setting's text (base/text/quantity.h); omits the text of secrets.
std::string SettingRefusal(const Setting& setting, std::string_view name, std::string_view text, const Error& error);

bool IsUri(std::string_view location);

// SamplingText of settings that disable all sampling.
inline constexpr std::string_view kSwitchedOff = "profiling is disabled";

// Describes the effective settings in the same words as the plugin's log (Settings.samplingText): "sampling cpu every
// 10ms, wall every 100ms, alloc every 2MiB, lock every 5ms, Python every 10ms, pyalloc every 512KiB". `value_of`
// returns a key's value as ReadSetting does, or the default.
std::string SamplingText(const std::function<std::string(std::string_view key)>& value_of);

// Content of settings/settings.tsv.
extern const std::string_view kSettingsTable;

}  // namespace sparkprof
