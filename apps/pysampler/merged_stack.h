// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpython/ring/ring.h"

namespace sparkprof {

enum class NativeKind : uint8_t {
  kCode,         // of a library
  kInterpreter,  // of the interpreter itself, which Python frames stand for
  kLoop,         // a call of the interpreter's loop
  kStart,        // of the C library or the program: at the outer end it starts the thread
};

// A thread's stack of Python frames and its native stack, read at the same time, both leaf first.
struct BothStacks {
  const RingFrame* python = nullptr;
  const bool* is_entry = nullptr;  // whether a Python frame is the first of a call of the interpreter's loop
  size_t python_depth = 0;
  bool python_is_truncated = false;
  const RingFrame* native = nullptr;
  const NativeKind* kinds = nullptr;
  size_t native_depth = 0;
  bool native_is_complete = false;  // up to the thread's first function
  RingFrame unknown{};              // stands for native frames that are not known
};

struct MergedStack {
  size_t depth = 0;
  bool is_truncated = false;  // the outermost frames are missing
  bool is_known = true;       // each native frame has its place
  bool is_guessed = false;    // likewise, but the callers of one that is below `unknown` were searched
  RingFrame frames[kRingMaxFrames];
};

// Puts each native frame between the Python frames that called it and that it calls. Where the two stacks do not match,
// only the innermost native frames, which the innermost Python frame called, are in the result, below `unknown` if
// frames are missing between both.
void MergeStacks(const BothStacks& stacks, MergedStack* merged);

}  // namespace sparkprof
