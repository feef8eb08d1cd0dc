// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// pprof: one protobuf message perftools.profiles.Profile (google/pprof, proto/profile.proto); compression is taken off
// before. Each sample type becomes an event in ns, bytes or a count; but a type "samples" (or "NAME_samples") in front
// of a type NAME with a unit says the numbers of its samples. Threads come from the labels "thread" and "tid" ("thread
// id"), tasks from "task" and "stage".
Result<void> ReadPprof(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikePprof(std::string_view head);

}  // namespace sparkprof
