// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/submit_command.h"

namespace sparkprof {

// The plugin's settings for a job, as far as known before it starts, resolved like in the plugin (Settings.java).
struct JobSettings {
  std::map<std::string, std::string, std::less<>> values;  // by key, as returned by ReadSetting; empty = not set
  std::vector<std::string> refused;  // messages about values and unknown keys that the plugin would reject
  std::vector<std::string> notes;    // misspelled variables
};

// SubmitRequest::settings take precedence over the user's Spark configuration.
JobSettings ResolveSettings(const SubmitRequest& request);

// SamplingText for the settings.
std::string Describe(const JobSettings& settings);

inline constexpr char kProfilingContext[] = "PROFILING_CONTEXT";

// Settings of a job configured for the CodeGuru Profiler plugin, as read by ProfilingContext.java.
struct ProfilingContext {
  std::map<std::string, std::string> settings;  // text by key
  std::string wrong;                            // why PROFILING_CONTEXT is ignored; empty = it is used
};

// `variable` returns the value of an environment variable, or nullopt if it is not set.
ProfilingContext ReadProfilingContext(
    const std::function<std::optional<std::string>(const std::string& name)>& variable);

}  // namespace sparkprof
