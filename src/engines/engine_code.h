// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// The code that the threads of engines run, from the lines "frame" and "thread" of the tables (engines/README.md).

// Whether a native function computes any operator of an engine.
bool IsOperatorFrame(std::string_view function);

// Whether it computes an operator of this name.
bool IsFrameOfOperator(std::string_view function, std::string_view operator_name);

// Whether a thread of the JVM with this name is one of an engine's pool.
bool IsEngineThread(std::string_view name);

}  // namespace sparkprof
