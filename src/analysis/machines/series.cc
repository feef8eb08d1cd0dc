// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/series.h"

#include <algorithm>

namespace sparkprof {
namespace {

std::string_view RoleOf(const Application& application, const ApplicationSeries& series) {
  if (series.process < 0) return {};
  return application.processes[static_cast<size_t>(series.process)].process.role;
}

bool IsPythonCpu(const Application& application, const ApplicationSeries& series) {
  return series.name == "process.cpu_ns" && IsPython(RoleOf(application, series));
}

// A name has at most one "*", which replaces the "*" of the label. The first match counts.
struct SeriesLabel {
  std::string_view name, label;
};

constexpr SeriesLabel kSeriesLabels[] = {
    {"process.cpu_ns", "CPU"},
    {"process.children_cpu_ns", "CPU of ended children"},
    {"process.unlisted_children_cpu_ns", "CPU of ended children without series"},
    {"process.cpu_percent", "CPU measured by psutil"},
    {"process.rss_bytes", "Resident memory"},
    {"process.rss_peak_bytes", "Resident memory, peak"},
    {"process.pss_bytes", "Proportional memory (PSS)"},
    {"process.private_bytes", "Private memory"},
    {"process.shared_bytes", "Shared memory"},
    {"process.swap_bytes", "Swapped memory"},
    {"process.virtual_bytes", "Virtual memory"},
    {"process.virtual_peak_bytes", "Virtual memory, peak"},
    {"process.threads", "Threads"},
    {"process.allowed_cpus", "CPUs that it may use"},
    {"process.arrow_bytes", "Memory of Arrow"},
    {"process.memory_limit_bytes", "Memory limit of the container"},
    {"process.memory_kills", "Processes killed for memory in the container"},
    {"process.minor_faults", "Minor page faults"},
    {"process.major_faults", "Major page faults"},
    {"process.read_bytes", "Read from disk"},
    {"process.write_bytes", "Written to disk"},
    {"process.rchar_bytes", "Read, including cached files and sockets"},
    {"process.wchar_bytes", "Written, including cached files and sockets"},
    {"process.received_bytes", "Received over TCP"},
    {"process.voluntary_switches", "Voluntary context switches"},
    {"process.involuntary_switches", "Involuntary context switches"},
    {"process.file_descriptors", "Open file descriptors"},
    {"process.connections", "TCP connections"},
    {"thread.*.cpu_ns", "CPU of threads *"},
    {"agent.cpu_ns", "CPU of the profiler's agent"},
    {"agent.rss_bytes", "Memory of the profiler's agent"},
    {"plugin.cpu_ns", "CPU of the plugin on Spark's threads"},
    {"run.cpu_ns", "CPU of sparkprof run"},
    {"sampler.cpu_ns", "CPU of the sampler"},
    {"sampler.cpu_interval_ns", "Sampling interval of CPU"},
    {"sampler.wall_interval_ns", "Sampling interval of wall-clock time"},
    {"sampler.alloc_interval_bytes", "Sampling interval of allocations"},
    {"sampler.lock_interval_ns", "Sampling interval of locks"},
    {"jvm.heap_used_bytes", "Heap used"},
    {"jvm.heap_committed_bytes", "Heap committed"},
    {"jvm.heap_max_bytes", "Heap limit"},
    {"jvm.non_heap_used_bytes", "Non-heap memory used"},
    {"jvm.non_heap_committed_bytes", "Non-heap memory committed"},
    {"jvm.non_heap_max_bytes", "Non-heap memory limit"},
    {"jvm.metaspace_used_bytes", "Metaspace used"},
    {"jvm.metaspace_committed_bytes", "Metaspace committed"},
    {"jvm.gc_time_ns", "Time in GC"},
    {"jvm.gc_count", "Collections"},
    {"jvm.gc_young_time_ns", "Time in GC, young generation"},
    {"jvm.gc_young_count", "Collections of the young generation"},
    {"jvm.gc_old_time_ns", "Time in GC, old generation"},
    {"jvm.gc_old_count", "Collections of the old generation"},
    {"jvm.gc.*.time_ns", "Time in GC, *"},
    {"jvm.gc.*.count", "Collections, *"},
    {"jvm.pool.*_bytes", "Memory pool *"},
    {"jvm.buffers.direct_used_bytes", "Direct buffers used"},
    {"jvm.buffers.*", "Buffers *"},
    {"python.live_bytes", "Memory held by Python, by samples"},
    {"jvm.native_used_bytes", "Native memory in use, by samples"},
    {"spark.off_heap_execution_bytes", "Reserved off-heap for tasks"},
    {"spark.off_heap_storage_bytes", "Reserved off-heap for cached blocks"},
    {"jvm.jit_time_ns", "Time in the JIT compiler"},
    {"jvm.classes_loaded", "Classes loaded"},
    {"jvm.threads_live", "Java threads"},
    {"jvm.threads_started", "Threads started"},
    {"jvm.threads_new", "Threads started since the last record"},
    {"jvm.threads_peak", "Java threads, peak"},
    {"jvm.safepoint_time_ns", "Time at safepoints"},
    {"jvm.safepoint_count", "Safepoints"},
    {"jvm.cpu_load", "CPU load of the JVM"},
    {"jvm.method.*", "Method *"},
    {"babar.*", "babar: *"},
    {"host.cpu_load", "CPU load of the host"},
    {"host.cpu_*_ns", "CPU of the host: *"},
    {"host.forks", "Processes and threads started"},
    {"host.running_threads", "Running threads"},
    {"host.memory_total_bytes", "Memory of the host"},
    {"host.memory_available_bytes", "Memory available"},
    {"host.memory_free_bytes", "Memory free"},
    {"host.memory_cached_bytes", "Page cache"},
    {"host.memory_dirty_bytes", "Memory to be written to disk"},
    {"host.swap_total_bytes", "Swap space"},
    {"host.swap_free_bytes", "Swap space free"},
    {"host.pressure_cpu_some_ns", "Time in which tasks waited for CPU"},
    {"host.pressure_cpu_full_ns", "Time in which all tasks waited for CPU"},
    {"host.pressure_memory_some_ns", "Time in which tasks waited for memory"},
    {"host.pressure_memory_full_ns", "Time in which all tasks waited for memory"},
    {"host.pressure_io_some_ns", "Time in which tasks waited for I/O"},
    {"host.pressure_io_full_ns", "Time in which all tasks waited for I/O"},
    {"host.disk.*.read_bytes", "Read from disk *"},
    {"host.disk.*.write_bytes", "Written to disk *"},
    {"host.disk.*.busy_ns", "Busy time of disk *"},
    {"host.network.*.received_bytes", "Received by *"},
    {"host.network.*.sent_bytes", "Sent by *"},
    {"host.network.*.receive_errors", "Receive errors of *"},
    {"host.network.*.send_errors", "Send errors of *"},
    {"host.*_ticks", "CPU ticks of *"},
    {"cgroup.*.memory_bytes", "Memory of control group *"},
    {"cgroup.*.memory_limit_bytes", "Memory limit of control group *"},
    {"cgroup.*.cpu_ns", "CPU of control group *"},
    {"cgroup.*.throttled_ns", "Throttled time of control group *"},
    {"cgroup.*.throttled_count", "Throttled periods of control group *"},
    {"cgroup.*.pressure_cpu_some_ns", "Time in which tasks of control group * waited for CPU"},
    {"cgroup.*.pressure_cpu_full_ns", "Time in which all tasks of control group * waited for CPU"},
    {"cgroup.*.pressure_memory_some_ns", "Time in which tasks of control group * waited for memory"},
    {"cgroup.*.pressure_memory_full_ns", "Time in which all tasks of control group * waited for memory"},
    {"cgroup.*.pressure_io_some_ns", "Time in which tasks of control group * waited for I/O"},
    {"cgroup.*.pressure_io_full_ns", "Time in which all tasks of control group * waited for I/O"},
};

}  // namespace

double Growth(const ApplicationSeries& series) {
  double growth = 0;
  double before = 0;
  for (const SeriesPoint& point : series.points) {
    growth += point.value >= before ? point.value - before : point.value;
    before = point.value;
  }
  return growth;
}

double GrowthOf(const Application& application, std::string_view name,
                const std::function<bool(std::string_view role)>& of_role) {
  double growth = 0;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != name) continue;
    if (of_role(RoleOf(application, series))) growth += Growth(series);
  }
  return growth;
}

bool IsPython(std::string_view role) { return role == "python_daemon" || role == "python_worker"; }

int64_t PythonCpu(const Application& application) {
  const auto is_daemon = [](std::string_view role) { return role == "python_daemon"; };
  const auto is_worker = [](std::string_view role) { return role == "python_worker"; };
  const double workers = GrowthOf(application, "process.cpu_ns", is_worker);
  const double ended = GrowthOf(application, "process.children_cpu_ns", is_daemon);
  return static_cast<int64_t>(GrowthOf(application, "process.cpu_ns", is_daemon) + std::max(workers, ended));
}

int64_t PythonCpuBetween(const Application& application, int64_t begin_ns, int64_t end_ns) {
  double sum = 0;
  for (const ApplicationSeries& series : application.series) {
    if (!IsPythonCpu(application, series)) continue;
    double before = 0;
    for (const SeriesPoint& point : series.points) {
      if (point.time_ns >= begin_ns && point.time_ns <= end_ns && point.value > before) sum += point.value - before;
      before = point.value;
    }
  }
  return static_cast<int64_t>(sum);
}

bool HasPythonCpu(const Application& application) {
  return std::ranges::any_of(application.series,
                             [&](const ApplicationSeries& series) { return IsPythonCpu(application, series); });
}

SeriesMeasure MeasureOfSeries(std::string_view name) {
  if (name.ends_with("_bytes")) return SeriesMeasure::kBytes;
  if (name.ends_with("cpu_ns")) return SeriesMeasure::kCpu;
  if (name.ends_with("_load")) return SeriesMeasure::kLoad;
  if (name.ends_with("cpu_percent")) return SeriesMeasure::kCpuPercent;
  return name.ends_with("_ns") ? SeriesMeasure::kTime : SeriesMeasure::kCount;
}

std::string_view UnitOfSeries(std::string_view name) {
  const SeriesMeasure measure = MeasureOfSeries(name);
  if (measure == SeriesMeasure::kBytes) return "bytes";
  if (measure == SeriesMeasure::kCpu || measure == SeriesMeasure::kTime) return "ns";
  if (measure == SeriesMeasure::kLoad) return "share";
  return measure == SeriesMeasure::kCpuPercent ? "percent" : "";
}

std::string LabelOfSeries(std::string_view name) {
  for (const SeriesLabel& row : kSeriesLabels) {
    const size_t star = row.name.find('*');
    if (star == std::string_view::npos) {
      if (name == row.name) return std::string(row.label);
      continue;
    }
    const std::string_view begin = row.name.substr(0, star), end = row.name.substr(star + 1);
    if (name.size() <= begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end)) continue;
    std::string label(row.label);
    return label.replace(label.find('*'), 1, name.substr(begin.size(), name.size() - begin.size() - end.size()));
  }
  return std::string(name);
}

}  // namespace sparkprof
