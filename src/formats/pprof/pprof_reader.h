// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// pprof: one protobuf message perftools.profiles.Profile (google/pprof, proto/profile.proto), decompressed. Each sample
// type becomes an event in ns, bytes or a count, except that a type "samples" (or "NAME_samples") before a type NAME
// with a unit has the sample counts of NAME. The default is the profile's own, else the last, as in Go's pprof; if it
// has no samples, the first that has. Values may be negative, as in differences. Threads come from the labels "thread"
// and "tid" ("thread id"), tasks from "task" and "stage". Fields may be in any order.
Result<void> ReadPprof(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikePprof(std::string_view head);

}  // namespace sparkprof
