// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/container_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "analysis/machines/executor_memory.h"
#include "analysis/selection/spark_settings.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr double kHeadroom = 1.15;                 // times what the processes held
constexpr int64_t kSizeStep = int64_t{512} << 20;  // sizes are usually set in such steps
constexpr int64_t kGoneNs = 15 * kNanosPerSecond;  // without a reading, a process has ended

int64_t HeapOf(const Application& application) {
  return MemorySetting(application, "spark.executor.memory").value_or(kDefaultHeap);
}

int64_t OverheadOf(const Application& application) { return OverheadOf(application, HeapOf(application)); }

}  // namespace

int64_t LargestTree(const Application& application, int32_t executor) {
  struct Reading {
    int64_t time_ns = 0;
    int32_t process = -1;
    double bytes = 0;
  };
  std::vector<Reading> readings;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != "process.rss_bytes" || series.executor != executor) continue;
    if (series.process < 0 || application.processes[static_cast<size_t>(series.process)].process.role == "agent")
      continue;
    for (const SeriesPoint& point : series.points) readings.push_back({point.time_ns, series.process, point.value});
  }
  std::sort(readings.begin(), readings.end(), [](const Reading& a, const Reading& b) { return a.time_ns < b.time_ns; });
  std::unordered_map<int32_t, Reading> last;
  double largest = 0;
  for (const Reading& reading : readings) {
    last[reading.process] = reading;
    std::erase_if(last, [&](const auto& each) { return each.second.time_ns < reading.time_ns - kGoneNs; });
    double sum = 0;
    for (const auto& each : last) sum += each.second.bytes;
    largest = std::max(largest, sum);
  }
  return static_cast<int64_t>(largest);
}

std::optional<int64_t> ContainerLimit(const Application& application) {
  const bool is_kubernetes = application.master.starts_with("k8s");
  if (!is_kubernetes && !application.master.starts_with("yarn")) return std::nullopt;
  // On Kubernetes the default depends on the language of the program.
  if (is_kubernetes && !SettingOf(application, kOverheadSetting) && !OverheadFactor(application)) return std::nullopt;
  int64_t limit = HeapOf(application) + OverheadOf(application);
  limit += MemorySetting(application, "spark.executor.pyspark.memory").value_or(0);
  if (IsEnabled(application, "spark.memory.offHeap.enabled"))
    limit += MemorySetting(application, "spark.memory.offHeap.size").value_or(0);
  return limit;
}

std::string OverheadAdvice(const Application& application, int64_t bytes) {
  const int64_t others = ContainerLimit(application).value_or(0) - OverheadOf(application);
  const double wanted = static_cast<double>(bytes) * kHeadroom - static_cast<double>(others);
  return fmt::format("Set {}={} (now {})", kOverheadSetting, SizeToSet(wanted), FormatBytes(OverheadOf(application)));
}

std::string SizeToSet(double bytes) {
  const auto wanted = static_cast<int64_t>(bytes);
  return fmt::format("{}m", (wanted + kSizeStep - 1) / kSizeStep * kSizeStep >> 20);
}

}  // namespace sparkprof
