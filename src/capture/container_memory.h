// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sparkprof {

// The memory limit of the control group that a process is in, version 2 or 1, and how many processes the kernel has
// killed there for memory.
class ContainerMemory {
 public:
  ContainerMemory() = default;
  // `pid` must live; its group is remembered. `proc` and `cgroup` are where they are mounted.
  explicit ContainerMemory(int64_t pid, const std::string& proc = "/proc",
                           const std::string& cgroup = "/sys/fs/cgroup");

  // Nothing = no limit, or unknown.
  std::optional<int64_t> LimitBytes() const;
  std::optional<int64_t> Kills() const;

 private:
  std::string folder_;  // empty = unknown
  bool is_version_2_ = false;
};

}  // namespace sparkprof
