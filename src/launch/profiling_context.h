// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace sparkprof {

inline constexpr char kProfilingContext[] = "PROFILING_CONTEXT";

// Settings of a job configured for the CodeGuru Profiler plugin, as read by ProfilingContext.java.
struct ProfilingContext {
  std::map<std::string, std::string> settings;
  std::string wrong;  // why PROFILING_CONTEXT is ignored; empty = it is used
};

// `variable` returns the value of an environment variable, or nullopt if it is not set.
ProfilingContext ReadProfilingContext(
    const std::function<std::optional<std::string>(const std::string& name)>& variable);

}  // namespace sparkprof
