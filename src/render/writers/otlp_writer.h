// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/output_file.h"
#include "model/profile.h"

namespace sparkprof {

// Writes OTLP profiles: an uncompressed protobuf message ProfilesData, in the version documented in
// formats/otlp/otlp_reader.h. One profile per event; threads and frame kinds are attributes.
void WriteOtlp(const Profile& profile, OutputFile* output);

}  // namespace sparkprof
