// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkprof {

// Asks the scheduler to let the calling thread run as soon as it wakes up, for the short time that it wants: on a busy
// machine it would wait up to 3 ms for its turn otherwise. By a short slice (sched_setattr(2), Linux 6.12 and later,
// documented in the kernel's scheduler/sched-eevdf); older kernels ignore it. Its share of the CPU stays what it was.
void WakePromptly();

}  // namespace sparkprof
