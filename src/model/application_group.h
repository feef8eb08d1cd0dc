// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// The value of a setting of the profiler, trimmed; empty if it is not set or unknown.
std::string_view ProfilerSettingOf(const Application& application, std::string_view name);

// The name under which a collector keeps the runs of one job: the setting "label", else the name, else the ID.
std::string GroupOf(const Application& application);

}  // namespace sparkprof
