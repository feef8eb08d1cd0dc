// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/output_file.h"
#include "model/profile.h"

namespace sparkprof {

// Writes pprof, gzip-compressed (google/pprof, proto/profile.proto): every event is a sample type, those in ns and
// bytes preceded by one with sample counts; threads and tasks are labels.
void WritePprof(const Profile& profile, EventId default_event, OutputFile* output);

}  // namespace sparkprof
