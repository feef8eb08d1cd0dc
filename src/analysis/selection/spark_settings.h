// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// The value of a Spark setting at the application's start; nullopt if it was not set or is unknown.
std::optional<std::string_view> SettingOf(const Application& application, std::string_view name);

// The value for a query: set by the program in its code before it, else at the application's start.
std::optional<std::string_view> SettingOf(const Application& application, const SqlExecution& sql,
                                          std::string_view name);

// The value that the program set last in its code, where a new value belongs; nullopt if it set none.
std::optional<std::string_view> SettingInCode(const Application& application, std::string_view name);

bool IsEnabled(const Application& application, std::string_view name);

// Memory sizes and durations as in Spark: "4g" and "512m" in bytes, a number without a unit in MiB; "60s" and "1min" in
// ns, a number without a unit in seconds. nullopt for other texts.
std::optional<int64_t> MemorySetting(const Application& application, std::string_view name);
std::optional<int64_t> DurationSetting(const Application& application, std::string_view name);

// Whether the driver runs the tasks. local-cluster[…] has executors.
bool IsLocal(const Application& application);

}  // namespace sparkprof
