// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Chrome's trace events ("Trace Event Format", JSON): an array of events whose "]" may be missing, or an object with
// traceEvents, read event by event. By what the file has, the first of
// - the CPU profiles of V8 in events Profile, ProfileChunk and CpuProfile (Chrome's developer tools);
// - samples with stackFrames, of the object or as events P: a sample weighs the time until the next one of its thread;
// - calls, events B with E, and X (py-spy, VizTracer, Perfetto): see TraceCalls.
// becomes the samples of the event "wall". Other kinds of events are counted in a note.
Result<void> ReadTraceEvents(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeTraceEvents(std::string_view head);

}  // namespace sparkprof
