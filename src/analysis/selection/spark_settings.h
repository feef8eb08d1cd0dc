// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// The value of a Spark setting as the application was started with; nothing if it was not set or is unknown.
std::optional<std::string_view> SettingOf(const Application& application, std::string_view name);

// In force for a query: as the program set it in its code before it, or else as the application was started with.
std::optional<std::string_view> SettingOf(const Application& application, const SqlExecution& sql,
                                          std::string_view name);

// The value that the program set last in its code, where a new one belongs; nothing if it set none.
std::optional<std::string_view> SettingInCode(const Application& application, std::string_view name);

bool IsEnabled(const Application& application, std::string_view name);

// Sizes of memory and durations as Spark reads them: "4g" and "512m" in bytes, where a bare number counts as MiB; "60s"
// and "1min" in ns, where a bare number counts as seconds. Nothing for other texts.
std::optional<int64_t> MemorySetting(const Application& application, std::string_view name);
std::optional<int64_t> DurationSetting(const Application& application, std::string_view name);

// Whether the driver runs the tasks. local-cluster[…] has executors.
bool IsLocal(const Application& application);

}  // namespace sparkprof
