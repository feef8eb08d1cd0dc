// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/io/file.h"
#include "base/text/text.h"
#include "capture/container_limits.h"

namespace sparkprof {
namespace {

double Affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails on machines with more CPUs than cpu_set_t supports.
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
}

// Parses "QUOTA PERIOD", both in µs; "max" and -1 mean no quota.
std::optional<double> QuotaOf(std::string_view text) {
  const auto parts = Split(Trim(text), ' ');
  if (parts.size() != 2) return std::nullopt;
  const auto quota = ParseInteger(parts[0]);
  const auto period = ParseInteger(parts[1]);
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

}  // namespace

double AllowedCpus(const std::string& cgroup) {
  const double affinity = Affinity();
  std::optional<double> quota;
  if (const Result<std::string> both = ReadFile(cgroup + "/cpu.max")) {
    quota = QuotaOf(*both);
  } else {
    const Result<std::string> most = ReadFile(cgroup + "/cpu/cpu.cfs_quota_us");
    const Result<std::string> period = ReadFile(cgroup + "/cpu/cpu.cfs_period_us");
    if (most && period) quota = QuotaOf(std::string(Trim(*most)) + " " + std::string(Trim(*period)));
  }
  return quota ? std::min(*quota, affinity) : affinity;
}

}  // namespace sparkprof
