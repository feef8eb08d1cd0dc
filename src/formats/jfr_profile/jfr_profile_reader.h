// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/io/byte_source.h"
#include "base/io/file.h"
#include "base/result.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {

// JFR recordings of async-profiler, the JDK and Spark's own profiler, read chunk by chunk, so a pipe works. Events are
// named as in model/samples/sample.h. cpu and wall are counted in samples, because JFR does not always have their
// weight; alloc, live, malloc and free in bytes; lock, nativelock and method in ns. Exceptions, sleeping, waiting,
// parking and I/O of the JDK are events of their own (model/samples/jfr_event_names.h); parking is part of lock, too.
// The class of an allocation or a lock is the leaf of its stack, as in async-profiler's converter. Tasks come from the
// spans (profiler.Span) that Spark's profiler writes for each task attempt.
Result<void> ReadJfrProfile(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

// The same from a file in memory, which saves copying it; what was read is released.
Result<void> ReadJfrProfileFile(const MappedFile& file, ProfileBuilder* builder);

// A span's tag as Spark writes it: stage, stage attempt, partition, TID, attempt and status, separated by commas,
// either in this order or each as name=value. Nothing when it is another tag.
std::optional<ProfileTask> ParseTaskTag(std::string_view tag);

}  // namespace sparkprof
