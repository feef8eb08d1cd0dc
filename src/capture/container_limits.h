// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sparkprof {

// CPUs available to this process and its children: the smaller of the affinity and the container's quota, from cgroup
// version 2 (cpu.max) or 1 (cpu/cpu.cfs_quota_us). `cgroup` is the mount point.
double AllowedCpus(const std::string& cgroup = "/sys/fs/cgroup");

// Memory limit of a process's cgroup (version 2 or 1), and the number of OOM kills in it.
class ContainerMemory {
 public:
  ContainerMemory() = default;
  // `pid` must be running; its cgroup is remembered. `proc` and `cgroup` are the mount points.
  explicit ContainerMemory(int64_t pid, const std::string& proc = "/proc",
                           const std::string& cgroup = "/sys/fs/cgroup");

  // nullopt = no limit, or unknown.
  std::optional<int64_t> LimitBytes() const;
  std::optional<int64_t> Kills() const;

 private:
  std::string folder_;  // empty = unknown
  bool is_version_2_ = false;
};

}  // namespace sparkprof
