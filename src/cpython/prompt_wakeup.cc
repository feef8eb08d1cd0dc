// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "cpython/sampler_thread.h"

namespace sparkprof {
namespace {

// struct sched_attr, version 0 (linux/sched/types.h), which some C libraries lack.
struct SchedAttr {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime;
  uint64_t deadline;
  uint64_t period;
};

constexpr uint64_t kSliceNs = 100'000;  // minimum that the kernel accepts
constexpr unsigned long kTimerSlackNs = 1'000;

}  // namespace

void WakePromptly() {
  SchedAttr attributes{};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 || attributes.policy != SCHED_OTHER) return;
  attributes.size = sizeof attributes;
  attributes.runtime = kSliceNs;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
  prctl(PR_SET_TIMERSLACK, kTimerSlackNs);
}

}  // namespace sparkprof
