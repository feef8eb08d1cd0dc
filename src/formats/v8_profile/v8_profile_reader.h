// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Profiles of V8 as Node.js (--cpu-prof, --heap-prof) and Chrome save them:
// - .cpuprofile: nodes, samples and timeDeltas; before Chrome 57 a tree, samples and timestamps. Event "wall".
// - .heapprofile: a tree with the bytes that each node allocated and that are still in use. Event "live".
Result<void> ReadV8Profile(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeV8Profile(std::string_view head);

}  // namespace sparkprof
