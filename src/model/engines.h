// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/profile.h"

namespace sparkprof {

// Native engines below Spark whose own threads compute for tasks, while a task's thread waits in the engine.

// The frame in which a task's thread waits for its engine: Comet's Native.executePlan and its like.
bool IsEngineWait(std::string_view frame);

// Whether the frame is of an engine's own code, or of the runtime that only its threads run in.
bool IsEngineCode(const Frame& frame, std::string_view name);

// Parts the frame of the task's thread from those of the engine's thread below it.
inline constexpr std::string_view kEngineThreadFrame = "[engine thread]";

}  // namespace sparkprof
