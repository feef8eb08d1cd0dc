// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Profiles of the Firefox Profiler: processed ones (preprocessedProfileVersion, in which tables belong to a thread or,
// since version 60, to all), and those that Firefox itself writes ("gecko profiles", tables with a schema). The weights
// of samples decide on the event: samples, milliseconds ("wall") or bytes ("alloc"). Profiles by sparkprof name it.
Result<void> ReadFirefox(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeFirefox(std::string_view head);

}  // namespace sparkprof
