// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// Content of settings/settings.tsv.
extern const std::string_view kSettingsTable;

}  // namespace sparkprof
