// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "model/stack_table.h"
#include "model/string_table.h"

namespace sparkprof {

// Frames of Java as thread dumps print them, without loader, module and arguments. nullopt for other texts.

// Frames of StackTraceElement and HotSpot: "java.base/java.lang.Thread.run(Thread.java:840)",
// "java.lang.Thread.run(java.base@17.0.15/Thread.java:840)".
std::optional<Frame> ParseJavaFrame(std::string_view text, StringTable* strings);

// Frames of the serviceability agent (jhsdb jstack, jstack -F): "V.burn(int) @bci=21, line=7 (Compiled frame; …)", with
// --mixed "V.burn(int) bci:21 line:7 (Interpreted frame)".
std::optional<Frame> ParseAgentFrame(std::string_view text, StringTable* strings);

// Frames of the serviceability agent with --mixed: "JavaThread::run() + 0xa5", "????????", "<Unknown compiled code>",
// "* V.burn() bci:21 line:7 (Interpreted frame)".
Frame ParseMixedFrame(std::string_view text, StringTable* strings);

}  // namespace sparkprof
