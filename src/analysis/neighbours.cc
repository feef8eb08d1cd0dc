// SPDX-License-Identifier: Apache-2.0
#include "analysis/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr double kLeastCores = 0.05;
constexpr double kLeastDiskBytesPerSecond = 1 << 20;
// Use that may slow tasks.
constexpr double kManyCores = 0.5;
constexpr double kMuchOfDisk = 50 << 20;

// The part of the steps between two moments; a step counts by how much of it is between them.
double SumBetween(const Neighbour& neighbour, const std::vector<double>& steps, int64_t begin_ns, int64_t end_ns) {
  double sum = 0;
  for (size_t step = 0; step < steps.size(); ++step) {
    const int64_t step_begin_ns = neighbour.begin_ns + static_cast<int64_t>(step) * neighbour.step_ns;
    const int64_t within_ns = std::min(end_ns, step_begin_ns + neighbour.step_ns) - std::max(begin_ns, step_begin_ns);
    if (within_ns > 0) sum += steps[step] * static_cast<double>(within_ns) / static_cast<double>(neighbour.step_ns);
  }
  return sum;
}

bool RanBeside(const Application& application, const Neighbour& neighbour, const std::set<int32_t>& executors) {
  if (executors.empty()) return true;
  return std::any_of(executors.begin(), executors.end(), [&](int32_t row) {
    const std::string& id = application.executors[static_cast<size_t>(row)].id;
    return std::find(neighbour.executor_ids.begin(), neighbour.executor_ids.end(), id) != neighbour.executor_ids.end();
  });
}

std::string NameOf(const Neighbour& neighbour) {
  const std::string& name = neighbour.application_id.empty() ? neighbour.name : neighbour.application_id;
  return neighbour.user.empty() ? name : fmt::format("{} (user {})", name, neighbour.user);
}

}  // namespace

std::vector<NeighbourUse> NeighboursBetween(const Application& application, int64_t begin_ns, int64_t end_ns,
                                            const std::set<int32_t>& executors) {
  std::vector<NeighbourUse> uses;
  if (end_ns <= begin_ns) return uses;
  const auto span_ns = static_cast<double>(end_ns - begin_ns);
  for (const Neighbour& neighbour : application.neighbours) {
    if (!RanBeside(application, neighbour, executors)) continue;
    NeighbourUse use;
    use.neighbour = &neighbour;
    use.cores = SumBetween(neighbour, neighbour.cpu_ns, begin_ns, end_ns) / span_ns;
    use.disk_bytes_per_second =
        SumBetween(neighbour, neighbour.disk_bytes, begin_ns, end_ns) / span_ns * kNanosPerSecond;
    if (use.cores >= kLeastCores || use.disk_bytes_per_second >= kLeastDiskBytesPerSecond) uses.push_back(use);
  }
  std::stable_sort(uses.begin(), uses.end(), [](const NeighbourUse& a, const NeighbourUse& b) {
    return std::tuple(a.cores, a.disk_bytes_per_second) > std::tuple(b.cores, b.disk_bytes_per_second);
  });
  if (uses.size() > kMostNeighbours) uses.resize(kMostNeighbours);
  return uses;
}

std::vector<NeighbourUse> NeighboursOfTasks(const Application& application, const std::vector<uint32_t>& tasks) {
  if (application.neighbours.empty()) return {};
  std::set<int32_t> executors;
  int64_t begin_ns = 0, end_ns = 0;
  for (const uint32_t task : tasks) {
    if (application.tasks.executor[task] >= 0) executors.insert(application.tasks.executor[task]);
    const int64_t launch_ns = application.tasks.launch_ns[task];
    if (launch_ns > 0 && (begin_ns == 0 || launch_ns < begin_ns)) begin_ns = launch_ns;
    end_ns = std::max(end_ns, application.tasks.finish_ns[task]);
  }
  return NeighboursBetween(application, begin_ns, end_ns, executors);
}

std::string NeighbourText(const std::vector<NeighbourUse>& uses) {
  for (const NeighbourUse& use : uses) {
    const Neighbour& neighbour = *use.neighbour;
    const std::string who = fmt::format("on {}, {}", neighbour.host, NameOf(neighbour));
    if (use.cores >= kManyCores) {
      return neighbour.host_cores < 1
                 ? fmt::format("{} used {:.1f} cores meanwhile", who, use.cores)
                 : fmt::format("{} used {:.1f} of {:.0f} cores meanwhile", who, use.cores, neighbour.host_cores);
    }
    if (use.disk_bytes_per_second >= kMuchOfDisk) {
      return fmt::format("{} read and wrote {} per second meanwhile", who,
                         FormatBytes(static_cast<int64_t>(use.disk_bytes_per_second)));
    }
  }
  return {};
}

}  // namespace sparkprof
