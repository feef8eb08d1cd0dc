// SPDX-License-Identifier: Apache-2.0
// Texts as values of settings: a value that is accepted must be read back as itself and must not depend on blanks or
// case.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text/quantity.h"
#include "base/text/text.h"
#include "settings/settings.h"

namespace sparkprof {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void CheckQuantity(SettingKind kind, const std::string& value) {
  const int64_t number = ParseInteger(value).value();
  if (kind == SettingKind::kDuration) Require(ParseDuration(DurationText(number)).value() == number);
  if (kind == SettingKind::kBytes) Require(ParseBytes(BytesText(number)).value() == number);
  if (kind == SettingKind::kFraction) Require(number >= 0 && number <= 1'000'000'000);
}

bool IsName(SettingKind kind) {
  return kind == SettingKind::kFlag || kind == SettingKind::kChoice || kind == SettingKind::kChoices;
}

void CheckValue(const Setting& setting, std::string_view text) {
  const Result<std::string> value = ReadSetting(setting, text);
  const Result<std::string> padded = ReadSetting(setting, " \t" + std::string(text) + "\n");
  Require(value.has_value() == padded.has_value());
  if (!value) {
    Require(!value.error().message.empty() && value.error().message == padded.error().message);
    return;
  }
  Require(*value == *padded && !value->empty());
  if (setting.kind == SettingKind::kText || setting.kind == SettingKind::kLocation) {
    Require(IsUtf8(*value) && *value == Trim(text));
    return;
  }
  Require(ReadSetting(setting, ToLowerAscii(text)).value() == *value);
  if (IsName(setting.kind)) {
    Require(ReadSetting(setting, *value).value() == *value);
  } else {
    CheckQuantity(setting.kind, *value);
  }
}

}  // namespace
}  // namespace sparkprof

// First bytes from here on make the text a key instead of a value.
constexpr uint8_t kFirstKey = 240;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto& settings = sparkprof::AllSettings();
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] < kFirstKey) {
    sparkprof::CheckValue(settings[data[0] % settings.size()], text);
  } else {
    (void)sparkprof::NearestSettingKey(text);
    (void)sparkprof::MisspelledVariable(text);
  }
  return 0;
}
