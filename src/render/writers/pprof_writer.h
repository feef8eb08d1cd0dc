// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/output_file.h"
#include "model/profile.h"

namespace sparkprof {

// pprof, gzip-compressed (google/pprof, proto/profile.proto): every event as a sample type, in front of those in ns and
// bytes one with the numbers of samples; threads and tasks as labels.
void WritePprof(const Profile& profile, EventId default_event, OutputFile* output);

}  // namespace sparkprof
