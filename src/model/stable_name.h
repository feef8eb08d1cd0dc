// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// A Java method's name without what differs from JVM to JVM: the numbers and addresses of lambdas, method handles and
// reflection's accessors. "Job$$Lambda$3465.0x00007f5a88f44000.apply" and "Job$$Lambda/0x00007f….apply" are both
// "Job$$Lambda.apply", "GeneratedMethodAccessor12.invoke" is "GeneratedMethodAccessor.invoke". Without this the same
// code in two executors would be two frames.
std::string StableName(std::string_view name);

}  // namespace sparkprof
