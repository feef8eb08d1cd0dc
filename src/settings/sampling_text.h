// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace sparkprof {

// SamplingText of settings that sample nothing.
inline constexpr std::string_view kSwitchedOff = "profiling is disabled";

// "sampling cpu every 10ms, wall every 100ms, alloc every 2MiB, lock every 5ms, Python every 10ms": what the settings
// make the plugin do, word for word as the plugin's own log has it (Settings.samplingText). `value_of` gives a key's
// value as ReadSetting returns it, the default when it is not set.
std::string SamplingText(const std::function<std::string(std::string_view key)>& value_of);

}  // namespace sparkprof
