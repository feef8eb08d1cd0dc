// SPDX-License-Identifier: Apache-2.0
#include "analysis/time/time_spent.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "analysis/machines/series.h"
#include "analysis/selection/known_parts.h"
#include "analysis/selection/stack_kinds.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/timeline.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

int64_t SumOfMetric(const MetricColumn& column) {
  int64_t sum = 0;
  for (const int64_t value : column) AddSaturated(value, &sum);
  return sum;
}

// CPU time counted by Spark; for tasks that never reported, because they are still running or were killed, by samples.
int64_t CpuOfTasks(const Tasks& tasks, bool* sampled) {
  int64_t sum = 0;
  for (size_t task = 0; task < tasks.Size(); ++task) {
    if (tasks.Column(TaskMetric::kExecutorRunTime)[task] > 0) {
      AddSaturated(tasks.Column(TaskMetric::kExecutorCpuTime)[task], &sum);
      AddSaturated(tasks.Column(TaskMetric::kDeserializeCpuTime)[task], &sum);
    } else {
      AddSaturated(tasks.Column(TaskMetric::kCpuSamples)[task], &sum);
      *sampled |= tasks.Column(TaskMetric::kCpuSamples)[task] > 0;
    }
  }
  return sum;
}

// Times from samples of tasks, in addition to Spark's metrics; ns.
struct SampledWaits {
  int64_t for_cpu_ns = 0;  // runnable without a CPU, in the JVM or its Python worker
  int64_t for_locks_ns = 0;
};

// Time for which the task threads in these samples were runnable without a CPU.
int64_t WaitForCpu(const std::vector<Sample>& samples, EventId cpu, EventId wall) {
  int64_t cpu_ns = 0, runnable_ns = 0;
  for (const Sample& sample : samples) {
    if (sample.task == 0) continue;
    if (sample.event == cpu) AddSaturated(sample.weight, &cpu_ns);
    if (sample.event == wall && sample.state == ThreadState::kRunning) AddSaturated(sample.weight, &runnable_ns);
  }
  return std::max<int64_t>(0, runnable_ns - cpu_ns);
}

SampledWaits WaitsOfTasks(const Application& application) {
  const Profile& profile = application.profile;
  const EventId cpu = profile.Row(Event::kCpu), wall = profile.Row(Event::kWall), lock = profile.Row(Event::kLock);
  int64_t lock_ns = 0;
  for (const Sample& sample : profile.samples) {
    if (sample.task != 0 && sample.event == lock) AddSaturated(sample.weight, &lock_ns);
  }
  int64_t for_cpu_ns = WaitForCpu(profile.samples, cpu, wall);
  AddSaturated(WaitForCpu(application.python_samples, cpu, wall), &for_cpu_ns);
  return {for_cpu_ns, lock_ns};
}

// Distributes a time part by part, never more than is left.
class Splitter {
 public:
  Splitter(int64_t total_ns, std::vector<TimePart>* parts) : left_ns_(total_ns), parts_(parts) {}

  void Take(const char* name, int64_t ns, bool estimate, std::optional<Event> event) {
    ns = std::clamp<int64_t>(ns, 0, left_ns_);
    left_ns_ -= ns;
    TimePart part{.name = name, .ns = ns, .estimate = estimate, .has_selection = event.has_value()};
    if (event) part.selection.event = EventName(*event);
    parts_->push_back(std::move(part));
  }

  void TakeIfAny(const char* name, int64_t ns, bool estimate, std::optional<Event> event) {
    if (ns > 0) Take(name, ns, estimate, event);
  }

  int64_t left_ns() const { return left_ns_; }

 private:
  int64_t left_ns_;
  std::vector<TimePart>* parts_;
};

TimeSpent PartsOfCoreTime(const Application& application) {
  if (!MissingFromLogs(application).empty()) return {};
  const TimeRange range = RangeOf(application);
  const Tasks& tasks = application.tasks;
  const int64_t busy_ns = TaskTimeOf(application);
  const std::vector<int64_t> cores = CoresOf(application);
  int64_t core_time_ns = 0;
  for (size_t i = 0; i < cores.size(); ++i) {
    const Executor& executor = application.executors[i];
    const int64_t from = executor.add_ns > 0 ? executor.add_ns : range.start_ns;
    const int64_t to = executor.remove_ns > 0 ? executor.remove_ns : range.end_ns;
    int64_t of_executor = 0;
    if (__builtin_mul_overflow(cores[i], std::max<int64_t>(0, to - from), &of_executor)) of_executor = INT64_MAX;
    AddSaturated(of_executor, &core_time_ns);
  }
  TimeSpent spent;
  spent.core_time_ns = std::max(core_time_ns, busy_ns);
  if (spent.core_time_ns == 0) return spent;

  Splitter busy(busy_ns, &spent.parts);
  if (SumOfMetric(tasks.Column(TaskMetric::kExecutorRunTime)) == 0 &&
      SumOfMetric(tasks.Column(TaskMetric::kCpuSamples)) == 0) {
    // Text logs only: tasks without metrics.
    busy.Take("Task time (no breakdown available)", busy.left_ns(), false, Event::kWall);
    Splitter rest(spent.core_time_ns - busy_ns, &spent.parts);
    rest.Take("Idle cores", rest.left_ns(), false, std::nullopt);
    return spent;
  }
  bool sampled = false;
  const int64_t cpu_ns = CpuOfTasks(tasks, &sampled);
  // Without counted CPU time and without samples, computing and waiting cannot be distinguished.
  const bool is_known =
      HasCpuTime(application) || sampled || !application.profile.samples.empty() || !application.python_samples.empty();
  if (is_known) busy.Take("JVM CPU", cpu_ns, sampled, Event::kCpu);
  busy.Take("GC", SumOfMetric(tasks.Column(TaskMetric::kGcTime)), false, std::nullopt);
  busy.Take("Shuffle wait", SumOfMetric(tasks.Column(TaskMetric::kShuffleFetchWait)), false, Event::kWall);
  busy.Take("Scheduler",
            SumOfMetric(tasks.Column(TaskMetric::kSchedulerDelay)) +
                SumOfMetric(tasks.Column(TaskMetric::kGettingResultTime)),
            false, std::nullopt);
  busy.TakeIfAny("Serialization", SumOfMetric(tasks.Column(TaskMetric::kResultSerializationTime)), false, std::nullopt);
  busy.Take("Python CPU", PythonCpu(application), true, Event::kWall);
  busy.TakeIfAny("Native engine CPU", CpuOfEngines(application), true, Event::kCpu);
  const SampledWaits waits = WaitsOfTasks(application);
  busy.TakeIfAny("Waiting for locks", waits.for_locks_ns, true, Event::kLock);
  busy.TakeIfAny("Waiting for a CPU", waits.for_cpu_ns, true, Event::kWall);
  busy.Take(is_known ? "Disk, network and other waits" : "Computing or waiting (no CPU time counted)", busy.left_ns(),
            is_known, Event::kWall);
  Splitter idle(spent.core_time_ns - busy_ns, &spent.parts);
  idle.Take("Idle cores", idle.left_ns(), false, std::nullopt);
  return spent;
}

}  // namespace

std::vector<double> SharesAddingUp(const std::vector<int64_t>& times) {
  constexpr int64_t kTenthsOfPercent = 1000;
  std::vector<double> shares(times.size());
  double sum = 0;
  for (const int64_t time : times) sum += static_cast<double>(time);
  if (sum <= 0) return shares;
  std::vector<std::pair<double, size_t>> lost;  // rounding loss and row
  int64_t left = kTenthsOfPercent;
  for (size_t row = 0; row < times.size(); ++row) {
    const double exact = static_cast<double>(times[row]) / sum * kTenthsOfPercent;
    const auto whole = static_cast<int64_t>(exact);
    shares[row] = static_cast<double>(whole) / kTenthsOfPercent;
    lost.emplace_back(static_cast<double>(whole) - exact, row);
    left -= whole;
  }
  std::ranges::sort(lost);
  for (size_t i = 0; i < lost.size() && left > 0; ++i, --left) {
    const size_t row = lost[i].second;
    shares[row] = static_cast<double>(std::llround(shares[row] * kTenthsOfPercent) + 1) / kTenthsOfPercent;
  }
  return shares;
}

std::vector<int64_t> CoresOf(const Application& application) {
  std::vector<int64_t> cores;
  for (const Executor& executor : application.executors) cores.push_back(std::max<int64_t>(0, executor.cores));
  // A driver with executors has no tasks, so most applications need no peaks.
  const auto needs_peak = [&](int32_t executor) { return executor >= 0 && cores[static_cast<size_t>(executor)] == 0; };
  const std::vector<int32_t>& executors = application.tasks.executor;
  if (std::ranges::none_of(executors, needs_peak)) return cores;
  const auto concurrency = ConcurrencyOf(application);
  for (size_t i = 0; i < cores.size(); ++i) {
    if (cores[i] == 0) cores[i] = Peak(concurrency[i]);
  }
  return cores;
}

int64_t CoreCount(const Application& application) {
  const std::vector<int64_t> cores = CoresOf(application);
  return std::accumulate(cores.begin(), cores.end(), int64_t{0});
}

int64_t PeakCores(const Application& application) {
  const std::vector<int64_t> cores = CoresOf(application);
  std::vector<std::pair<int64_t, int64_t>> changes;  // time and cores
  for (size_t row = 0; row < cores.size(); ++row) {
    const Executor& executor = application.executors[row];
    changes.emplace_back(executor.add_ns, cores[row]);
    if (executor.remove_ns > 0) changes.emplace_back(executor.remove_ns, -cores[row]);
  }
  std::ranges::sort(changes);
  int64_t now = 0, most = 0;
  for (const auto& [time_ns, change] : changes) most = std::max(most, now += change);
  return most;
}

TimeSpent SplitTime(const Application& application) {
  TimeSpent spent = PartsOfCoreTime(application);
  std::vector<int64_t> times;
  for (const TimePart& part : spent.parts) times.push_back(part.ns);
  const std::vector<double> shares = SharesAddingUp(times);
  for (size_t i = 0; i < shares.size(); ++i) spent.parts[i].share = shares[i];
  return spent;
}

bool HasCpuTime(const Application& application) {
  constexpr int64_t kLeastNs = 50'000;
  const MetricColumn& cpu = application.tasks.Column(TaskMetric::kExecutorCpuTime);
  return std::ranges::any_of(cpu, [](int64_t value) { return value >= kLeastNs; });
}

}  // namespace sparkprof
