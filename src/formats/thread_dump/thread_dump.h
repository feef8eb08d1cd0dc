// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Thread dumps as text (thread_dump_reader.h) or as JSON (thread_dump_json_reader.h).
Result<void> ReadThreadDump(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeThreadDump(std::string_view head);

}  // namespace sparkprof
