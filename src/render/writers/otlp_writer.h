// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/output_file.h"
#include "model/profile.h"

namespace sparkprof {

// OTLP profiles, one protobuf message ProfilesData of the version that formats/otlp/otlp_messages.h names: a profile
// for each event; threads and kinds of frames as attributes. Not compressed.
void WriteOtlp(const Profile& profile, OutputFile* output);

}  // namespace sparkprof
