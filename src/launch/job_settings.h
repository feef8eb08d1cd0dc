// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
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

}  // namespace sparkprof
