// SPDX-License-Identifier: Apache-2.0
#include "model/application_group.h"

#include <algorithm>

#include "base/text/text.h"

namespace sparkprof {

std::string_view ProfilerSettingOf(const Application& application, std::string_view name) {
  const auto found = std::find_if(application.settings.begin(), application.settings.end(),
                                  [name](const ProfilerSetting& setting) { return setting.name == name; });
  return found == application.settings.end() ? std::string_view() : Trim(found->value);
}

std::string GroupOf(const Application& application) {
  const std::string_view label = ProfilerSettingOf(application, "label");
  if (!label.empty()) return std::string(label);
  return application.name.empty() ? application.id : application.name;
}

}  // namespace sparkprof
