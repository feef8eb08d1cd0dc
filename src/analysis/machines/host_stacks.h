// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// A function whose share of a host's samples differs from the other hosts'.
struct HostFrame {
  std::string frame;  // "slow_lookup (job.py)"
  double share = 0;   // share of the host's samples, in the function or its callees
  double others = 0;  // median of the other hosts
  int64_t weight = 0;
};

// Comparison of a host's samples with those of the other hosts of the same applications.
struct HostStacks {
  std::string host;
  int64_t cpu_ns = 0;              // weight of CPU samples, JVM and Python
  std::optional<double> distance;  // 0 … 1; nullopt = too few samples or hosts
  std::string event;               // event with the largest difference: "cpu"; empty without a distance
  bool is_outlier = false;
  std::vector<HostFrame> frames;  // larger share here than elsewhere, largest difference first
};

// One per host of an executor with samples, sorted by name. Excludes drivers that run no tasks.
//
// A host's vector contains the shares of the functions in which its samples of an event end. It is compared with the
// median vector of all hosts by the Jensen-Shannon distance (base 2); the event with the largest distance counts. A
// host is an outlier if its distance is large, well above those of the other hosts, and above what sampling alone
// explains. With fewer than kLeastHosts hosts there is no distance, and no outlier.
std::vector<HostStacks> CompareHosts(const std::vector<const Application*>& applications);

inline constexpr size_t kLeastHosts = 3;

}  // namespace sparkprof
