// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/profile.h"

namespace sparkprof {

// The contents of a profile of another format, as `sparkprof info` prints them: its events with their sums, its threads
// and its times. `profile` needs its threads, and times if they are to be shown.
std::string RenderProfileInfoText(std::string_view format, const Profile& profile);
// One object: {"name", "format", "events": [{"name", "unit", "count", "weight", "default"}], "threads",
// "startTime", "endTime" (ms, absent without times), "skipped"}.
std::string RenderProfileInfoJson(std::string_view format, const Profile& profile);

}  // namespace sparkprof
