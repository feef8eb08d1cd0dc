// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/output_file.h"
#include "model/profile.h"

namespace sparkprof {

// Writes text for a terminal: the frames with the largest self weight, then the call tree down to half a percent.
void WriteProfileText(const Profile& profile, EventId event, OutputFile* output);

// A readable weight: "1.2 s", "340 MiB", "12,345".
std::string FormatAmount(std::string_view unit, int64_t weight);

// Formats 1234567 as "1,234,567".
std::string WithCommas(int64_t number);

}  // namespace sparkprof
