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
  double share = 0;   // of the host's samples, in the function or what it calls
  double others = 0;  // median of the other hosts
  int64_t weight = 0;
};

// How a host's samples compare with those of the other hosts of the same applications.
struct HostStacks {
  std::string host;
  int64_t cpu_ns = 0;              // weight of cpu samples, of the JVM and of Python
  std::optional<double> distance;  // 0 … 1; nullopt = too few samples or hosts
  std::string event;               // whose samples differ most: "cpu"; empty without a distance
  bool is_outlier = false;
  std::vector<HostFrame> frames;  // larger here than elsewhere, the largest difference first
};

// One for each host of an executor with samples, by name; drivers that run no tasks are left out.
//
// A host's vector has the shares of the functions that its samples of an event end in. It is compared with the median
// vector of all hosts by the Jensen-Shannon distance (base 2); the event with the largest one counts. A host is an
// outlier if its distance is large, well above those of the other hosts, and above what sampling alone explains. With
// fewer than kLeastHosts hosts there is no distance, and no outlier.
std::vector<HostStacks> CompareHosts(const std::vector<const Application*>& applications);

inline constexpr size_t kLeastHosts = 3;

}  // namespace sparkprof
