// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// CPUs available to this process and its children: the smaller of the affinity and the container's quota, from cgroup
// version 2 (cpu.max) or 1 (cpu/cpu.cfs_quota_us). `cgroup` is the mount point.
double AllowedCpus(const std::string& cgroup = "/sys/fs/cgroup");

}  // namespace sparkprof
