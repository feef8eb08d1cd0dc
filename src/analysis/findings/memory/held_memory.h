// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "model/application.h"

namespace sparkprof {

// The processes of an executor (a row) when their sum was largest in its last 10 s, as YARN computes it: "; at the end
// its processes held 1.2 GiB: jvm_executor 812 MiB (process 17), python_worker 301 MiB (process 23)". Uses the largest
// sum because a process being killed has lost its memory already. Empty if nothing was recorded.
std::string HeldMemoryText(const Application& application, int32_t executor);

// The native memory of an executor's JVM at its last samples, and its largest part: "; 812 MiB of native memory in use,
// 700 MiB of it by stage 3.0: a → b → malloc". Empty if unknown.
std::string HeldNativeText(const Application& application, int32_t executor);

}  // namespace sparkprof
