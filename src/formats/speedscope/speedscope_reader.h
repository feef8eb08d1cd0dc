// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// speedscope's own file format (https://www.speedscope.app/file-format-schema.json) with both kinds of profiles:
// "sampled", and "evented", in which a frame weighs the time while it is the innermost open frame. Each profile is a
// thread with its name; in files written by sparkprof, the name starts with the event: "cpu: main".
Result<void> ReadSpeedscope(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeSpeedscope(std::string_view head);

}  // namespace sparkprof
