// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// The CPUs that this process and its children may use: those of its affinity, or the quota of its container where that
// is less, from cgroup version 2 (cpu.max) or 1 (cpu/cpu.cfs_quota_us). `cgroup` is where they are mounted.
double AllowedCpus(const std::string& cgroup = "/sys/fs/cgroup");

}  // namespace sparkprof
