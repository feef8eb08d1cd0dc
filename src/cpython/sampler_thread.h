// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// The scheduling of the thread that samples.

// Keeps the calling thread on the CPU of the sampled thread. There the caches are warm, no idle CPU must wake up, and
// the sampled thread is not running meanwhile: where a hypervisor lets CPUs sleep, this is two to three times cheaper.
// Does not allocate. For one thread at a time.
class NearThread {
 public:
  // Follows the running thread `tid` of process `pid`. Every 64th call checks its CPU; no effect if the system does not
  // permit it.
  void Follow(int64_t pid, int64_t tid);

 private:
  uint32_t calls_ = 0;
  int cpu_ = -1;
};

// Requests a short scheduler slice, so that the calling thread runs as soon as it wakes up; on a busy machine it would
// otherwise wait up to 3 ms. Uses sched_setattr(2), Linux 6.12 and later (kernel documentation scheduler/sched-eevdf);
// older kernels ignore it. The thread's CPU share is unchanged.
void WakePromptly();

}  // namespace sparkprof
