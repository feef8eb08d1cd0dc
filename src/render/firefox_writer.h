// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/output_file.h"
#include "model/profile.h"

namespace sparkprof {

// Firefox Profiler's processed profile, format version 57 (docs-developer/CHANGELOG-formats.md of firefox-devtools/
// profiler), which the viewer upgrades by itself: a track for each thread and event. Samples without a time are put one
// after the other.
void WriteFirefox(const Profile& profile, OutputFile* output);

}  // namespace sparkprof
