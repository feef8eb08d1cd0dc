// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
  std::string_view allowed;   // "100us..1m", or names separated by commas
  std::string_view option;    // of `sparkprof run`; empty = none
  bool is_central = false;    // a server's configuration of a group may set it
  std::string_view meaning;
};

const std::vector<Setting>& AllSettings();

// Null if there is no such setting.
const Setting* SettingByKey(std::string_view key);

// The known key that is written most like `key`; empty when none is near.
std::string_view NearestSettingKey(std::string_view key);

// The variable that `name` misspells by one typing error; empty if there is none or `name` is correct.
std::string MisspelledVariable(std::string_view name);

// "cpu.interval" → "SPARKPROF_CPU_INTERVAL", "maxSpool" → "SPARKPROF_MAX_SPOOL".
std::string EnvironmentName(std::string_view key);

// Converts a text to the setting's value, by the grammar of settings/README.md: ns, bytes or billionths as an integer;
// "true" or "false"; lower-case names in the table's order; the trimmed text. Equivalent texts give equal values. The
// error describes the problem, see base/quantity.h; it never contains the text.
Result<std::string> ReadSetting(const Setting& setting, std::string_view text);

// Refusal (base/quantity.h) of a setting's text, which it does not show if it is a secret.
std::string SettingRefusal(const Setting& setting, std::string_view name, std::string_view text, const Error& error);

// Whether a location is a URI; otherwise it is a path.
bool IsUri(std::string_view location);

}  // namespace sparkprof
