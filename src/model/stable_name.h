// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Removes parts of a Java method's name that differ between JVMs: the numbers and addresses of lambdas, method handles
// and reflection accessors. "Job$$Lambda$3465.0x00007f5a88f44000.apply" and "Job$$Lambda/0x00007f….apply" both become
// "Job$$Lambda.apply", "GeneratedMethodAccessor12.invoke" becomes "GeneratedMethodAccessor.invoke". Otherwise, the same
// code in two executors would be two frames.
std::string StableName(std::string_view name);

}  // namespace sparkprof
