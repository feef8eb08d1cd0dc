// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Adds the samples of one message ProfilesData in protobuf. `offset`: of the message in the input, for error messages.
Result<void> ReadOtlpProfiles(std::string_view message, size_t offset, ProfileBuilder* builder);

}  // namespace sparkprof
