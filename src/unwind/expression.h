// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "unwind/memory.h"
#include "unwind/registers.h"

namespace sparkprof {

// The value of a DWARF expression (DWARF 4, 2.5) as call frame information uses it: PLT entries, functions that align
// their stack, signal frames. Nothing where an operation is unsupported, needs an unknown register or does not end.
// `initial`: what is on its stack at the start.
std::optional<uint64_t> EvaluateExpression(std::string_view expression, const Registers& registers,
                                           std::optional<uint64_t> initial, UnwindMemory* memory);

}  // namespace sparkprof
