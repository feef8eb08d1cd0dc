// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkprof {

// Requests a short scheduler slice, so that the calling thread runs as soon as it wakes up; on a busy machine it would
// otherwise wait up to 3 ms. Uses sched_setattr(2), Linux 6.12 and later (kernel documentation scheduler/sched-eevdf);
// older kernels ignore it. The thread's CPU share is unchanged.
void WakePromptly();

}  // namespace sparkprof
