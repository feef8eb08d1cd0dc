// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// Whether content that starts with `head` is the text of the kernel's ftrace, Android's systrace or trace-cmd. Its
// events have the shape of perf's samples, but no stacks.
bool LooksLikeFtrace(std::string_view head);

}  // namespace sparkprof
