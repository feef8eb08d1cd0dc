// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "unwind/memory.h"
#include "unwind/registers.h"

namespace sparkprof {

// Evaluates a DWARF expression (DWARF 4, 2.5) of call frame information: PLT entries, functions that align their stack,
// signal frames. nullopt if an operation is unsupported, needs an unknown register, or the expression does not end.
// `initial`: initial value on its stack.
std::optional<uint64_t> EvaluateExpression(std::string_view expression, const Registers& registers,
                                           std::optional<uint64_t> initial, UnwindMemory* memory);

}  // namespace sparkprof
