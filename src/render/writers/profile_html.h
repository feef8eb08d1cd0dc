// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/answers.h"
#include "base/io/output_file.h"
#include "base/result.h"
#include "model/application.h"

namespace sparkprof {

// URL fragment of a report's flame graph with a search for `expression`.
std::string SearchView(std::string_view expression);

inline constexpr size_t kProfileHtmlBudget = size_t{10} << 20;  // maximum size of a page, bytes

// Writes the report's page, opened at its flame graph, with all events of the application's profile. `answers` is null
// for a profile of another tool. `note` is added to its notices. Matches of `highlight` are marked. With `base_event`,
// the page opens as a comparison with that event and has no other data.
Result<void> WriteProfileHtml(const Application& application, const Answers* answers, EventId event,
                              std::optional<EventId> base_event, const std::string& note, const std::string& highlight,
                              OutputFile* output);

// Gzip-compressed data of such a page for a profile of another tool (docs/report-data.md).
std::string RenderProfileData(const Application& application);

}  // namespace sparkprof
