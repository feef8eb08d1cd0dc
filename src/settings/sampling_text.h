// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace sparkprof {

// SamplingText of settings that sample nothing.
inline constexpr std::string_view kSwitchedOff = "profiling is disabled";

// "sampling cpu every 10ms, wall every 100ms, alloc every 2MiB, lock every 5ms, Python every 10ms": the effective
// settings, in the same words as the plugin's log (Settings.samplingText). `value_of` returns the value of a key as
// from ReadSetting, or the default.
std::string SamplingText(const std::function<std::string(std::string_view key)>& value_of);

}  // namespace sparkprof
