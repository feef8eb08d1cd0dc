// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/executor_memory.h"

#include <algorithm>

#include "analysis/selection/spark_settings.h"
#include "base/text/quantity.h"

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
  const auto by_factor = static_cast<int64_t>(static_cast<double>(heap_bytes) * factor);
  return MemorySetting(application, "spark.executor.memoryOverhead").value_or(std::max(kLeastOverhead, by_factor));
}

int64_t StorageMemory(const Application& application) {
  int64_t bytes = 0;
  for (const Executor& executor : application.executors)
    if (executor.remove_ns == 0) bytes += executor.max_memory_bytes;
  return bytes;
}

}  // namespace sparkprof
