// SPDX-License-Identifier: Apache-2.0
#include "analysis/owners/memory_parts.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "analysis/machines/series.h"
#include "analysis/owners/native_memory.h"
#include "analysis/python/driver_programs.h"
#include "base/time.h"

namespace sparkprof {
namespace {

using Points = std::vector<SeriesPoint>;

constexpr int64_t kHeldOnNs = 2 * kNanosPerSecond;  // validity of a process's last reading: readings are seconds apart

// The last value at that time; nullopt before the first one.
std::optional<int64_t> ValueAt(const Points* points, int64_t time_ns) {
  if (points == nullptr) return std::nullopt;
  const auto next = std::upper_bound(points->begin(), points->end(), time_ns,
                                     [](int64_t time, const SeriesPoint& point) { return time < point.time_ns; });
  if (next == points->begin()) return std::nullopt;
  return static_cast<int64_t>(std::prev(next)->value);
}

// The series of an executor's JVM and of its Python processes.
struct Recorded {
  std::map<std::string_view, const Points*> of_jvm;
  std::map<int32_t, const Points*> of_python;   // by process; proportional memory if recorded
  std::map<int32_t, const Points*> of_program;  // the driver's program only
  std::map<int32_t, const Points*> of_arrow;    // by process

  std::optional<int64_t> At(std::string_view series, int64_t time_ns) const {
    const auto found = of_jvm.find(series);
    return found == of_jvm.end() ? std::nullopt : ValueAt(found->second, time_ns);
  }

  // The sum of the processes that run then, by the readings of their memory.
  std::optional<int64_t> SumAt(const std::map<int32_t, const Points*>& by_process, int64_t time_ns) const {
    std::optional<int64_t> sum;
    for (const auto& [process, points] : by_process) {
      const auto resident = of_python.find(process);
      if (resident == of_python.end() || resident->second->back().time_ns + kHeldOnNs < time_ns) continue;
      if (const std::optional<int64_t> bytes = ValueAt(points, time_ns)) sum = sum.value_or(0) + *bytes;
    }
    return sum;
  }
};

std::map<int32_t, Recorded> RecordedOf(const Application& application) {
  std::map<int32_t, Recorded> executors;
  for (const ApplicationSeries& series : application.series) {
    if (series.process < 0 || series.points.empty()) continue;
    const std::string_view role = application.processes[static_cast<size_t>(series.process)].process.role;
    Recorded& recorded = executors[series.executor];
    if (role == "jvm") recorded.of_jvm.try_emplace(series.name, &series.points);
    const bool is_program = role == kDriverProgramRole;
    if (!IsPython(role) && !is_program) continue;
    if (series.name == "process.pss_bytes") recorded.of_python[series.process] = &series.points;
    if (series.name == "process.rss_bytes") {
      recorded.of_python.try_emplace(series.process, &series.points);
      if (is_program) recorded.of_program[series.process] = &series.points;
    }
    if (series.name == "process.arrow_bytes") recorded.of_arrow[series.process] = &series.points;
  }
  return executors;
}

std::optional<int64_t> Sum(std::optional<int64_t> a, std::optional<int64_t> b) {
  return a || b ? std::optional<int64_t>(a.value_or(0) + b.value_or(0)) : std::nullopt;
}

// Series of one executor; null = not sampled.
struct SampledPoints {
  const Points* native = nullptr;
  const Points* python = nullptr;
};

MemoryParts PartsAt(const Recorded& recorded, const SampledPoints& sampled, int64_t resident, int64_t time_ns) {
  MemoryParts parts;
  parts.time_ns = time_ns;
  parts.heap_used = recorded.At("jvm.heap_used_bytes", time_ns);
  parts.heap_committed = recorded.At("jvm.heap_committed_bytes", time_ns);
  parts.limit = recorded.At("process.memory_limit_bytes", time_ns);
  parts.metaspace = recorded.At("jvm.metaspace_used_bytes", time_ns);
  parts.spark_off_heap =
      Sum(recorded.At("spark.off_heap_execution_bytes", time_ns), recorded.At("spark.off_heap_storage_bytes", time_ns));
  parts.direct_buffers = recorded.At("jvm.buffers.direct_used_bytes", time_ns);
  // Sampled memory includes that of Spark and of direct buffers.
  if (sampled.native != nullptr) {
    const int64_t others = parts.spark_off_heap.value_or(0) + parts.direct_buffers.value_or(0);
    parts.native = std::max<int64_t>(0, ValueAt(sampled.native, time_ns).value_or(0) - others);
  }
  parts.python = recorded.SumAt(recorded.of_python, time_ns);
  parts.program = recorded.SumAt(recorded.of_program, time_ns);
  if (sampled.python != nullptr && parts.python) {
    parts.python_live = ValueAt(sampled.python, time_ns).value_or(0);
    parts.arrow = recorded.SumAt(recorded.of_arrow, time_ns);
    parts.other_native = std::max<int64_t>(0, *parts.python - *parts.python_live - parts.arrow.value_or(0));
  }
  parts.total = resident + parts.python.value_or(0);
  int64_t known = 0;
  for (const auto& part :
       {parts.heap_used, parts.metaspace, parts.spark_off_heap, parts.direct_buffers, parts.native}) {
    known += part.value_or(0);
  }
  parts.untracked = std::max<int64_t>(0, resident - known);
  return parts;
}

}  // namespace

std::vector<MemoryParts> MemoryOverTime(const Application& application) {
  const std::map<int32_t, Points> native = NativeMemoryInUse(application), python = PythonMemoryInUse(application);
  const auto points_of = [](const std::map<int32_t, Points>& points, int32_t executor) {
    const auto found = points.find(executor);
    return found == points.end() ? nullptr : &found->second;
  };
  std::vector<MemoryParts> rows;
  for (const auto& [executor, recorded] : RecordedOf(application)) {
    const auto resident = recorded.of_jvm.find("process.rss_bytes");
    if (resident == recorded.of_jvm.end()) continue;
    const SampledPoints sampled{points_of(native, executor), points_of(python, executor)};
    for (const SeriesPoint& point : *resident->second) {
      rows.push_back(PartsAt(recorded, sampled, static_cast<int64_t>(point.value), point.time_ns));
      rows.back().executor = executor;
    }
  }
  return rows;
}

}  // namespace sparkprof
