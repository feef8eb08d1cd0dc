// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "unwind/memory.h"

namespace sparkprof {

// Whether the bytes before `pc` are a call, direct or by a pointer, so that `pc` may be a return address. x86-64 only:
// false elsewhere.
bool IsBehindCall(uint64_t pc, UnwindMemory* memory);

}  // namespace sparkprof
