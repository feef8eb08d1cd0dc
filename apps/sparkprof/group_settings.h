// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "inputs/server_options.h"

namespace sparkprof {

struct GroupSettingsRequest {
  CollectorOptions server;
  std::string group;
  std::vector<std::string> changes;  // KEY=VALUE; KEY= removes the setting; none = only print
  bool json = false;
};

// Applies the changes and prints the settings. Returns the exit code; for a usage error, refers to the help of
// `command`.
int ConfigureGroup(const GroupSettingsRequest& request, const CLI::App& command);

}  // namespace sparkprof
