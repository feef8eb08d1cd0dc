// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/output_file.h"
#include "model/profile.h"

namespace sparkprof {

// Writes Firefox Profiler's processed profile, format version 57 (docs-developer/CHANGELOG-formats.md of
// firefox-devtools/profiler), which newer viewers upgrade automatically: one track per thread and event. Samples
// without a time are placed one after the other.
void WriteFirefox(const Profile& profile, OutputFile* output);

}  // namespace sparkprof
