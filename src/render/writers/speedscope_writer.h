// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/output_file.h"
#include "model/profile.h"

namespace sparkprof {

// Writes speedscope's file format, a sampled profile per event and thread, named "cpu" or "cpu: main". The time axis is
// the sum of the weights, not the time of the samples.
void WriteSpeedscope(const Profile& profile, EventId active_event, OutputFile* output);

}  // namespace sparkprof
