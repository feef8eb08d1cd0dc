// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "model/frame.h"

namespace sparkprof {

// The origin of a frame's code. Numbers are those of docs/report-data.md.
enum class FrameOrigin : uint8_t {
  kLibrary = 0,
  kUser = 1,
  kSpark = 2,
  kJdk = 3,            // JDK and Scala
  kPythonRuntime = 4,  // the interpreter and its standard library
  kVm = 5,             // garbage collector, JIT compiler and other threads of the JVM
};

// Judged by name and file alone: what belongs to no known library is the user's.
FrameOrigin OriginOf(std::string_view name, std::string_view file, FrameKind kind);

}  // namespace sparkprof
