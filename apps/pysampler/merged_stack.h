// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpython/ring/ring.h"

namespace sparkprof {

enum class NativeKind : uint8_t {
  kCode,         // library code
  kInterpreter,  // the interpreter itself, represented by Python frames
  kLoop,         // a call of the interpreter's loop
  kStart,        // the C library or the program: at the outer end it starts the thread
};

// A thread's Python stack and native stack at the same time, both leaf first.
struct BothStacks {
  const RingFrame* python = nullptr;
  const bool* is_entry = nullptr;  // whether a Python frame is the first of a call of the interpreter's loop
  size_t python_depth = 0;
  bool python_is_truncated = false;
  const RingFrame* native = nullptr;
  const NativeKind* kinds = nullptr;
  size_t native_depth = 0;
  bool native_is_complete = false;  // whether it includes the thread's first function
  RingFrame unknown{};              // placeholder for unknown native frames
};

struct MergedStack {
  size_t depth = 0;
  bool is_truncated = false;  // the outermost frames are missing
  bool is_known = true;       // whether the position of each native frame is known
  bool is_guessed = false;    // whether callers of a frame below `unknown` were guessed
  RingFrame frames[kRingMaxFrames];
};

// Places each native frame between the Python frames that call it and that it calls. If the two stacks do not match,
// the result contains only the innermost native frames, called by the innermost Python frame, below `unknown` if frames
// are missing in between.
void MergeStacks(const BothStacks& stacks, MergedStack* merged);

}  // namespace sparkprof
