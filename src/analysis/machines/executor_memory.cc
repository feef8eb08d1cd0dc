// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/executor_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "analysis/selection/spark_settings.h"
#include "base/share.h"
#include "base/text/quantity.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {

int64_t PeakOf(const Executor& executor, std::string_view metric) {
  for (const auto& [name, value] : executor.peak_metrics) {
    if (name == metric) return value;
  }
  return 0;
}

std::vector<int64_t> PeakHeapsOf(const Application& application) {
  std::vector<int64_t> peaks;
  for (const Executor& executor : application.executors) peaks.push_back(PeakOf(executor, kPeakHeap));
  for (const ApplicationSeries& series : application.series) {
    if (series.name != "jvm.heap_used_bytes" || series.executor < 0) continue;
    int64_t& peak = peaks[static_cast<size_t>(series.executor)];
    for (const SeriesPoint& point : series.points) peak = std::max(peak, static_cast<int64_t>(point.value));
  }
  return peaks;
}

int64_t PeakOfProcesses(const Executor& executor) {
  return PeakOf(executor, "ProcessTreeJVMRSSMemory") + PeakOf(executor, "ProcessTreePythonRSSMemory") +
         PeakOf(executor, "ProcessTreeOtherRSSMemory");
}

std::optional<double> OverheadFactor(const Application& application) {
  constexpr int64_t kBillion = 1'000'000'000;
  for (const char* const name : {"spark.executor.memoryOverheadFactor", "spark.kubernetes.memoryOverheadFactor",
                                 "spark.yarn.executor.memoryOverheadFactor"}) {
    const std::optional<std::string_view> text = SettingOf(application, name);
    if (!text) continue;
    if (const Result<int64_t> billionths = ParseBillionths(*text))
      return static_cast<double>(*billionths) / static_cast<double>(kBillion);
  }
  return std::nullopt;
}

int64_t OverheadOf(const Application& application, int64_t heap_bytes) {
  constexpr double kDefaultFactor = 0.1;
  const double factor = OverheadFactor(application).value_or(kDefaultFactor);
  const auto by_factor = Scaled(heap_bytes, factor);
  return MemorySetting(application, "spark.executor.memoryOverhead").value_or(std::max(kLeastOverhead, by_factor));
}

int64_t StorageMemory(const Application& application) {
  int64_t bytes = 0;
  for (const Executor& executor : application.executors)
    if (executor.remove_ns == 0) bytes += executor.max_memory_bytes;
  return bytes;
}

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
  std::ranges::sort(readings, {}, &Reading::time_ns);
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
