// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/string_table.h"

namespace sparkprof {

enum class FrameKind : uint8_t {
  kUnknown = 0,
  kJit = 1,
  kInterpreted = 2,
  kInlined = 3,
  kNative = 4,  // C and C++, the JVM's own code too
  kKernel = 5,
  kPython = 6,
  kSynthetic = 7,  // made by sparkprof: "[waiting for Python]"
};

// A function (and line) of a stack.
struct Frame {
  StringId name = 0;  // "org.apache.spark.rdd.RDD.iterator", a Python function, a native symbol
  StringId file = 0;  // source file or library, 0 = unknown
  uint32_t line = 0;  // 0 = unknown
  FrameKind kind = FrameKind::kUnknown;

  bool operator==(const Frame&) const = default;
};

}  // namespace sparkprof
