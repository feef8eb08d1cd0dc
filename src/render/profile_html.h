// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/output_file.h"
#include "base/result.h"
#include "model/profile.h"

namespace sparkprof {

// The address, behind "#", of a report's flame graph in which `expression` is searched for.
std::string SearchView(std::string_view expression);

inline constexpr size_t kProfileHtmlBudget = size_t{10} << 20;  // bytes of a page

// The report's page, opened at its flame graph, with all events of the profile; `note` is shown with its notices. What
// the expression `highlight` is found in is marked. With `base_event` it opens as a comparison of `event` with that
// one, and has no other.
Result<void> WriteProfileHtml(const Profile& profile, uint32_t event, std::optional<uint32_t> base_event,
                              const std::string& note, const std::string& highlight, OutputFile* output);

}  // namespace sparkprof
