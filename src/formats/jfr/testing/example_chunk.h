// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "formats/jfr/testing/jfr_chunk_writer.h"

namespace sparkprof::testing {

// async-profiler's frame types include Kernel, its native methods are symbols of libraries.
enum class Writer { kAsyncProfiler, kJdk };

// A small chunk with a record of every event that is read and one of "jdk.Unused", which is not.
std::string ExampleChunk(Writer writer, JfrChunkWriter::Options options = {});

// The constants of ExampleChunk: threads 77 (Java) and 78 (native), classes 1 to 3, methods 1 to 4, stack traces 1
// to 3.
void AddExampleConstants(Writer writer, JfrChunkWriter* chunk);

}  // namespace sparkprof::testing
