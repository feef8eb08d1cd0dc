// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launch/submit_command.h"

namespace sparkprof {

// The plugin's settings for a job, as far as they are known before it starts: resolved as the plugin does
// (Settings.java).
struct JobSettings {
  std::map<std::string, std::string, std::less<>> values;  // by key, as ReadSetting returns them; empty = not set
  std::vector<std::string> refused;  // what the plugin would refuse: a message for each value and unknown key
  std::vector<std::string> notes;    // misspelled variables
};

// SubmitRequest::settings take precedence over the user's Spark configuration.
JobSettings ResolveSettings(const SubmitRequest& request);

// SamplingText of the settings.
std::string Describe(const JobSettings& settings);

}  // namespace sparkprof
