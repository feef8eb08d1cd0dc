// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/memory/held_memory.h"

#include "analysis/findings/rules.h"
#include "analysis/machines/process_rows.h"
#include "analysis/owners/native_memory.h"

namespace sparkprof {
namespace {

constexpr int64_t kLastNsOfHeap = 10 * kNanosPerSecond;
constexpr int64_t kHeldOnNs = 2 * kNanosPerSecond;  // lifetime of a process's last reading; readings are seconds apart
constexpr size_t kProcessesShown = 5;
constexpr size_t kFramesShown = 8;

struct Holder {
  const Process* process = nullptr;
  const std::vector<SeriesPoint>* points = nullptr;

  // The latest reading at that time; 0 before the first one and some time after the last.
  int64_t BytesAt(int64_t time_ns) const {
    const auto next = std::upper_bound(points->begin(), points->end(), time_ns,
                                       [](int64_t time, const SeriesPoint& point) { return time < point.time_ns; });
    if (next == points->begin() || points->back().time_ns + kHeldOnNs < time_ns) return 0;
    return static_cast<int64_t>(std::prev(next)->value);
  }
};

std::vector<Holder> HoldersOf(const Application& application, int32_t executor) {
  std::vector<Holder> holders;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != "process.rss_bytes" || series.process < 0 || series.points.empty()) continue;
    const ApplicationProcess& process = application.processes[static_cast<size_t>(series.process)];
    if (process.executor != executor || process.process.role == "agent") continue;
    holders.push_back({&process.process, &series.points});
  }
  return holders;
}

}  // namespace

std::string HeldMemoryText(const Application& application, int32_t executor) {
  if (executor < 0) return {};
  const std::vector<Holder> holders = HoldersOf(application, executor);
  int64_t end_ns = 0;
  for (const Holder& holder : holders) end_ns = std::max(end_ns, holder.points->back().time_ns);
  std::set<int64_t> times;
  for (const Holder& holder : holders) {
    for (const SeriesPoint& point : *holder.points) {
      if (point.time_ns >= end_ns - kLastNsOfHeap) times.insert(point.time_ns);
    }
  }
  int64_t most = 0, when_ns = 0;
  for (const int64_t time_ns : times) {
    int64_t sum = 0;
    for (const Holder& holder : holders) sum += holder.BytesAt(time_ns);
    if (sum >= most) most = sum, when_ns = time_ns;
  }
  if (most == 0) return {};
  std::vector<std::pair<int64_t, const Process*>> held;  // bytes
  for (const Holder& holder : holders) {
    if (const int64_t bytes = holder.BytesAt(when_ns); bytes > 0) held.emplace_back(bytes, holder.process);
  }
  std::ranges::stable_sort(held, [](const auto& a, const auto& b) { return a.first > b.first; });
  const std::string& executor_id = application.executors[static_cast<size_t>(executor)].id;
  std::string text = fmt::format("; at the end its processes held {}:", FormatBytes(most));
  for (size_t i = 0; i < std::min(held.size(), kProcessesShown); ++i) {
    const auto& [bytes, process] = held[i];
    text += fmt::format("{} {} {} (process {})", i == 0 ? "" : ",", ProcessType(process->role, executor_id),
                        FormatBytes(bytes), process->pid);
  }
  if (held.size() > kProcessesShown) text += fmt::format(", and {} more", held.size() - kProcessesShown);
  return text;
}

std::string HeldNativeText(const Application& application, int32_t executor) {
  if (!RecordsNativeReleases(application)) return {};
  const auto by_executor = NativeUses(application, {{executor, std::numeric_limits<int64_t>::max()}});
  const auto uses = by_executor.find(executor);
  if (uses == by_executor.end()) return {};
  int64_t bytes = 0;
  for (const NativeUse& use : uses->second) bytes += use.bytes;
  const NativeUse& largest = uses->second.front();
  return fmt::format("; {} of native memory in use, {} of it by {}: {}", FormatBytes(bytes), FormatBytes(largest.bytes),
                     largest.owner.second, CallPath(application.profile, largest.stack, kFramesShown));
}

}  // namespace sparkprof
