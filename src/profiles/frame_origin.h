// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/samples/frame.h"

namespace sparkprof {

// Origin of a frame's code. Numbers are those of docs/report-data.md.
enum class FrameOrigin : uint8_t {
  kLibrary = 0,
  kUser = 1,
  kSpark = 2,
  kJdk = 3,            // JDK and Scala
  kPythonRuntime = 4,  // interpreter and standard library
  kVm = 5,             // garbage collector, JIT compiler and other threads of the JVM
};

// Determined by name and file: code that belongs to no known library is the user's.
FrameOrigin OriginOf(std::string_view name, std::string_view file, FrameKind kind);

// Makes a source file's name comparable between runs: name and parent folder, without the numbers of containers,
// processes and temporary folders. Otherwise Python functions would differ between runs. The page uses the same rule
// (web/src/analysis/side_by_side.ts).
std::string LastingFile(std::string_view path);

}  // namespace sparkprof
