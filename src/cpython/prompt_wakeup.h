// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkprof {

// Requests that the calling thread runs as soon as it wakes up, for a short time; on a busy machine it would otherwise
// wait up to 3 ms. Uses a short slice (sched_setattr(2), Linux 6.12 and later, documented in the kernel's
// scheduler/sched-eevdf); older kernels ignore it. Its CPU share is unchanged.
void WakePromptly();

}  // namespace sparkprof
