// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Timeline recordings of Safari's Web Inspector (JSON): sampleStackTraces, callees first, and sampleDurations in
// seconds.
Result<void> ReadSafari(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeSafari(std::string_view head);

}  // namespace sparkprof
