// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// The stacks in records of Uber's jvm-profiler, the PySpark profilers and babar (formats/records), between any other
// lines. Event "samples". Input without stacks is not a profile.
Result<void> ReadRecordsProfile(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeRecords(std::string_view head);

}  // namespace sparkprof
