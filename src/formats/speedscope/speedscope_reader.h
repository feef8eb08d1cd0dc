// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// speedscope's own file format (https://www.speedscope.app/file-format-schema.json), profiles of both kinds: "sampled"
// and "evented", whose frames weigh what passes while nothing else is open above them. Each profile is a thread, named
// as it is; sparkprof's own files say the event before the thread: "cpu: main".
Result<void> ReadSpeedscope(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeSpeedscope(std::string_view head);

}  // namespace sparkprof
