// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace sparkprof {

// SamplingText of settings that disable all sampling.
inline constexpr std::string_view kSwitchedOff = "profiling is disabled";

// Describes the effective settings in the same words as the plugin's log (Settings.samplingText): "sampling cpu every
// 10ms, wall every 100ms, alloc every 2MiB, lock every 5ms, Python every 10ms". `value_of` returns a key's value as
// ReadSetting does, or the default.
std::string SamplingText(const std::function<std::string(std::string_view key)>& value_of);

}  // namespace sparkprof
