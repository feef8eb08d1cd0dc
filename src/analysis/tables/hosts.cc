// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <numeric>

#include "analysis/machines/host_stacks.h"
#include "analysis/machines/node_use.h"
#include "analysis/selection/time_range.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "analysis/time/stage_totals.h"

namespace sparkprof {
namespace {

// Executors of a host, and what `sparkprof monitor` recorded of it. Unknown = nothing did.
struct Host {
  std::string name;
  std::optional<int64_t> executors, executor_cores, tasks, failed_tasks, task_time_ns, gc_ns, input_bytes,
      shuffle_read_bytes, shuffle_write_bytes;
  std::vector<const Application*> recordings;
  std::optional<int64_t> cores, memory_bytes, max_memory_bytes, io_bytes, network_bytes;
  std::optional<double> cpu_share;
  std::optional<int64_t> cpu_ns;  // by samples, or the tasks' own without samples
  HostStacks stacks;
  std::string frames;  // `stacks` as JSON
};

void Add(int64_t value, std::optional<int64_t>* sum) { *sum = sum->value_or(0) + value; }

void AddExecutors(const Application& application, std::map<std::string, Host>* hosts) {
  const std::vector<ExecutorTotals> totals = TotalsOfExecutors(application);
  const bool known = application.tasks.Size() == 0 || HasTaskMetrics(application.tasks);
  for (size_t row = 0; row < application.executors.size(); ++row) {
    const Executor& executor = application.executors[row];
    if (executor.host.empty()) continue;
    Host& host = (*hosts)[executor.host];
    const ExecutorTotals& total = totals[row];
    const bool runs_tasks = executor.id != "driver" || executor.cores > 0;
    Add(runs_tasks ? 1 : 0, &host.executors);
    Add(executor.cores, &host.executor_cores);
    Add(std::accumulate(total.count.begin(), total.count.end(), int64_t{0}), &host.tasks);
    Add(total.count[static_cast<size_t>(TaskOutcome::kFailed)], &host.failed_tasks);
    Add(total.duration_ns, &host.task_time_ns);
    if (!known) continue;
    Add(total.gc_ns, &host.gc_ns);
    Add(total.input_bytes, &host.input_bytes);
    Add(total.shuffle_read_bytes, &host.shuffle_read_bytes);
    Add(total.shuffle_write_bytes, &host.shuffle_write_bytes);
  }
}

std::string NameOfNode(const Application& node) {
  for (const ProfilerSetting& setting : node.settings) {
    if (setting.name == "monitor.host") return setting.value;
  }
  return node.name;
}

void AddUse(Host* host) {
  TimeRange range = RangeOf(*host->recordings[0]);
  for (const Application* recording : host->recordings) {
    const TimeRange one = RangeOf(*recording);
    range = {std::min(range.start_ns, one.start_ns), std::max(range.end_ns, one.end_ns)};
  }
  const HostUse use = UseOfHost(host->recordings, {range.start_ns, range.end_ns, 1});
  const auto integer = [](const std::optional<double>& value) -> std::optional<int64_t> {
    return value ? std::optional(std::llround(*value)) : std::nullopt;
  };
  if (use.cores > 0) host->cores = std::llround(use.cores);
  if (use.memory_bytes > 0) host->memory_bytes = std::llround(use.memory_bytes);
  host->max_memory_bytes = integer(use.memory[0]);
  host->io_bytes = integer(use.disk[0]);
  host->network_bytes = integer(use.network[0]);
  if (use.cores > 0 && use.cpu[0]) host->cpu_share = *use.cpu[0] / use.cores;
}

void AddCpuOfTasks(const Application& application, std::map<std::string, Host>* hosts) {
  const Tasks& tasks = application.tasks;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (tasks.executor[row] < 0) continue;
    const Executor& executor = application.executors[static_cast<size_t>(tasks.executor[row])];
    if (executor.host.empty()) continue;
    Add(tasks.Column(TaskMetric::kExecutorCpuTime)[row], &(*hosts)[executor.host].cpu_ns);
  }
}

std::string FramesAsJson(const std::vector<HostFrame>& frames) {
  JsonWriter json;
  json.BeginArray();
  for (const HostFrame& frame : frames) {
    json.BeginObject()
        .Member("frame", std::string_view(frame.frame))
        .Member("share", frame.share)
        .Member("others", frame.others)
        .EndObject();
  }
  return json.EndArray().Take();
}

void AddStacks(const std::vector<const Application*>& applications, std::map<std::string, Host>* hosts) {
  for (const Application* const application : applications) {
    const bool has_samples = !application->profile.samples.empty() || !application->python_samples.empty();
    if (!application->is_node && !has_samples && HasTaskMetrics(application->tasks)) AddCpuOfTasks(*application, hosts);
  }
  for (HostStacks& stacks : CompareHosts(applications)) {
    Host& host = (*hosts)[stacks.host];
    if (stacks.cpu_ns > 0) Add(stacks.cpu_ns, &host.cpu_ns);
    host.stacks = std::move(stacks);
  }
  for (auto& [name, host] : *hosts) host.frames = FramesAsJson(host.stacks.frames);
}

std::vector<Host> HostsOf(const std::vector<const Application*>& applications) {
  std::map<std::string, Host> hosts;
  for (const Application* application : applications) {
    if (application->is_node) {
      hosts[NameOfNode(*application)].recordings.push_back(application);
    } else {
      AddExecutors(*application, &hosts);
    }
  }
  AddStacks(applications, &hosts);
  std::vector<Host> rows;
  for (auto& [name, host] : hosts) {
    host.name = name;
    if (!host.recordings.empty()) AddUse(&host);
    rows.push_back(std::move(host));
  }
  return rows;
}

}  // namespace

Table HostsTable(const std::vector<const Application*>& applications) {
  using enum ColumnType;
  using enum Visibility;
  const auto of = CellsOf(HostsOf(applications));
  const auto millis = [&of](std::optional<int64_t> Host::*member) {
    return of.Of(member, [](const auto& nanos) { return nanos ? MillisCell(*nanos) : Cell(); });
  };
  const auto real = [](const std::optional<double>& value) { return value ? Cell(*value) : Cell(); };
  return {.name = "hosts",
          .rows = of.Size(),
          .columns = {
              {"host", "host", kText, kShown, of.Text(&Host::name)},
              {"executors", "executors that ran on it", kInteger, kShown, of.Optional(&Host::executors)},
              {"cpuSeconds", "CPU time of the executors, by samples or by their tasks", kSeconds, kShown,
               of.Of(&Host::cpu_ns,
                     [](const auto& cpu_ns) {
                       return cpu_ns ? Cell(static_cast<double>(*cpu_ns) / static_cast<double>(kNanosPerSecond))
                                     : Cell();
                     })},
              {"distance", "distance of its stacks from those of all hosts, 0 to 1; null with too few samples or hosts",
               kReal, kShown, of.Of([real](const Host& host) { return real(host.stacks.distance); })},
              {"outlier", "its stacks differ from those of the other hosts", kBoolean, kShown,
               of.Of([](const Host& host) { return host.stacks.is_outlier; })},
              {"frames", "functions whose share differs most from the other hosts", kJson, kHidden,
               of.Of([](const Host& host) { return std::string_view(host.frames); })},
              {"executorCores", "cores of the executors", kInteger, kShown, of.Optional(&Host::executor_cores)},
              {"tasks", "tasks that ran on it", kInteger, kShown, of.Optional(&Host::tasks)},
              {"failedTasks", "tasks that failed on it", kInteger, kShown, of.Optional(&Host::failed_tasks)},
              {"totalDuration", "sum of the durations of its tasks", kMillis, kShown, millis(&Host::task_time_ns)},
              {"totalGCTime", "time of its tasks during garbage collection", kMillis, kShown, millis(&Host::gc_ns)},
              {"totalInputBytes", "bytes that its tasks read from storage", kBytes, kShown,
               of.Optional(&Host::input_bytes)},
              {"totalShuffleRead", "bytes of shuffle that its tasks read", kBytes, kShown,
               of.Optional(&Host::shuffle_read_bytes)},
              {"totalShuffleWrite", "bytes of shuffle that its tasks wrote", kBytes, kShown,
               of.Optional(&Host::shuffle_write_bytes)},
              {"cores", "cores of the host, if `sparkprof monitor` recorded it; likewise the rest", kInteger, kShown,
               of.Optional(&Host::cores)},
              {"cpuShare", "use of all cores", kShare, kShown, of.Of(&Host::cpu_share, real)},
              {"memoryBytes", "memory of the host", kBytes, kShown, of.Optional(&Host::memory_bytes)},
              {"maxMemoryBytes", "largest use of memory", kBytes, kShown, of.Optional(&Host::max_memory_bytes)},
              {"diskBytes", "bytes read from and written to disks", kBytes, kShown, of.Optional(&Host::io_bytes)},
              {"networkBytes", "bytes received and sent", kBytes, kShown, of.Optional(&Host::network_bytes)},
          }};
}

}  // namespace sparkprof
