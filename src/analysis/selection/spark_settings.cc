// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/spark_settings.h"

#include <algorithm>
#include <string>

#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

struct Unit {
  std::string_view name;
  int64_t factor;
};
constexpr Unit kBytes[] = {{"", int64_t{1} << 20},  {"b", 1},
                           {"k", int64_t{1} << 10}, {"kb", int64_t{1} << 10},
                           {"m", int64_t{1} << 20}, {"mb", int64_t{1} << 20},
                           {"g", int64_t{1} << 30}, {"gb", int64_t{1} << 30},
                           {"t", int64_t{1} << 40}, {"tb", int64_t{1} << 40}};
constexpr Unit kNanos[] = {{"", kNanosPerSecond},         {"ms", kNanosPerMilli},        {"s", kNanosPerSecond},
                           {"m", 60 * kNanosPerSecond},   {"min", 60 * kNanosPerSecond}, {"h", 3600 * kNanosPerSecond},
                           {"d", 86400 * kNanosPerSecond}};

std::optional<int64_t> Quantity(std::optional<std::string_view> text, const auto& units) {
  if (!text) return std::nullopt;
  const size_t digits = std::min(text->find_first_not_of("0123456789"), text->size());
  const std::optional<int64_t> number = ParseInteger(text->substr(0, digits));
  std::string unit(text->substr(digits));
  std::transform(unit.begin(), unit.end(), unit.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c | ' ' : c; });
  int64_t value = 0;
  for (const Unit& one : units) {
    if (number && unit == one.name && !__builtin_mul_overflow(*number, one.factor, &value)) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> SettingOf(const Application& application, std::string_view name) {
  for (const auto& [group, settings] : application.environment) {
    if (group != "Spark") continue;
    for (const auto& [setting, value] : settings) {
      if (setting == name) return value;
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> SettingOf(const Application& application, const SqlExecution& sql,
                                          std::string_view name) {
  for (const auto& [setting, value] : sql.settings) {
    if (setting == name) return value;
  }
  return SettingOf(application, name);
}

std::optional<std::string_view> SettingInCode(const Application& application, std::string_view name) {
  std::optional<std::string_view> last;
  for (const SqlExecution& sql : application.sql_executions) {
    for (const auto& [setting, value] : sql.settings) {
      if (setting == name) last = value;
    }
  }
  return last;
}

bool IsEnabled(const Application& application, std::string_view name) {
  return SettingOf(application, name) == std::string_view("true");
}

std::optional<int64_t> MemorySetting(const Application& application, std::string_view name) {
  return Quantity(SettingOf(application, name), kBytes);
}

std::optional<int64_t> DurationSetting(const Application& application, std::string_view name) {
  return Quantity(SettingOf(application, name), kNanos);
}

bool IsLocal(const Application& application) {
  return application.master == "local" || application.master.starts_with("local[");
}

}  // namespace sparkprof
