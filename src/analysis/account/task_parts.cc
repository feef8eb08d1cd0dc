// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/task_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <unordered_map>

#include "analysis/time/time_spent.h"
#include "base/saturate.h"
#include "base/share.h"
#include "base/text/contains.h"
#include "base/time.h"
#include "model/plan_operators.h"

namespace sparkprof {
namespace {

int64_t& At(PartTimes* times, AccountPart part) { return (*times)[static_cast<size_t>(part)]; }

bool HasTaskMetrics(const std::vector<StageSummary>& stages) {
  return std::ranges::any_of(stages,
                             [](const StageSummary& stage) { return stage.Total(TaskMetric::kExecutorRunTime) > 0; });
}

// ZGC and Shenandoah collect while tasks run: Java's GC time for them is not a pause.
bool StopsForGc(const Application& application) {
  for (const auto& [group, settings] : application.environment) {
    for (const auto& [name, value] : settings) {
      if (!Contains(name, "JavaOptions")) continue;
      if (Contains(value, "UseZGC") || Contains(value, "UseShenandoahGC")) return false;
    }
  }
  return true;
}

// Spark 4.1 and later multiply a task's run time by its reserved CPUs (SPARK-51666). For Spark 4.0, the numbers decide.
int64_t RunTimeFactor(const Application& application, const SlotTimes& times, const std::vector<StageSummary>& stages) {
  int64_t cpus = 1;
  for (const ExecutorSlots& executor : times.executors) cpus = std::max(cpus, executor.cpus);
  int major = 0, minor = 0;
  if (cpus == 1 || std::sscanf(application.spark_version.c_str(), "%d.%d", &major, &minor) != 2 || major < 4) return 1;
  int64_t run_ns = 0, duration_ns = 0;
  for (const StageSummary& stage : stages) {
    AddSaturated(stage.Total(TaskMetric::kExecutorRunTime), &run_ns);
    AddSaturated(stage.Total(TaskMetric::kDuration), &duration_ns);
  }
  return major > 4 || minor >= 1 || run_ns > duration_ns ? cpus : 1;
}

// Spark's own times of Python workers by stage ID, over all tasks: from the first row to the end. The time before that
// includes the idle time of a reused worker.
std::unordered_map<int64_t, int64_t> PythonTimes(const Application& application) {
  std::unordered_map<int64_t, int64_t> times;
  for (const SqlExecution& sql : application.sql_executions) {
    for (const PlanOperator& one : OperatorsOf(sql.plan)) {
      // Two stages that ran the same operator share its metrics.
      if (!IsPythonOperator(one.kind) || one.stages.size() != 1) continue;
      const int64_t run_ns = ValueOf(*one.plan, "time to run Python workers").value_or(0);
      const int64_t initialize_ns = ValueOf(*one.plan, "time to initialize Python workers").value_or(0);
      int64_t& of_stage = times[one.stages.front()];
      // Workers of several operators of a stage run concurrently.
      of_stage = std::max(of_stage, run_ns - initialize_ns);
    }
  }
  return times;
}

int64_t CountOfWallSamples(const Application& application, const StageSummary& stage) {
  const EventId wall = application.profile.Row(Event::kWall);
  int64_t count = 0;
  for (const uint32_t row : stage.samples) {
    const Sample& sample = application.profile.samples[row];
    if (sample.event == wall) AddSaturated(sample.count, &count);
  }
  return count;
}

// Excludes the time before and after the task's run.
int64_t RunTimeOf(const AttemptTime& time) {
  int64_t run_ns = 0;
  for (auto part = static_cast<size_t>(AccountPart::kCpu); part <= static_cast<size_t>(AccountPart::kRun); ++part)
    AddSaturated(time.ns[part], &run_ns);
  return run_ns;
}

// Parts that only samples show.
bool IsSampled(AccountPart part) { return part >= AccountPart::kPython && part <= AccountPart::kSleep; }

}  // namespace

void AttemptTime::Add(const AttemptTime& other, int64_t factor) {
  for (size_t part = 0; part < kAccountParts; ++part) ns[part] += other.ns[part] * factor;
  gc_low_ns += other.gc_low_ns * factor;
  gc_high_ns += other.gc_high_ns * factor;
  fetch_low_ns += other.fetch_low_ns * factor;
  fetch_high_ns += other.fetch_high_ns * factor;
}

AttemptTime PartOf(const AttemptTime& time, int64_t ns) {
  int64_t whole_ns = 0;
  for (const int64_t of_part : time.ns) whole_ns += of_part;
  if (ns == whole_ns) return time;
  const double share = Share(ns, whole_ns);
  const auto scaled = [share](int64_t value) { return Scaled(value, share); };
  AttemptTime part;
  auto largest = static_cast<size_t>(AccountPart::kRun);
  int64_t left_ns = ns;
  for (size_t row = 0; row < kAccountParts; ++row) {
    part.ns[row] = scaled(time.ns[row]);
    left_ns -= part.ns[row];
    if (time.ns[row] > time.ns[largest]) largest = row;
  }
  part.ns[largest] += left_ns;  // rounding error
  part.gc_low_ns = scaled(time.gc_low_ns);
  part.gc_high_ns = std::max(scaled(time.gc_high_ns), part.ns[static_cast<size_t>(AccountPart::kGc)]);
  part.fetch_low_ns = scaled(time.fetch_low_ns);
  part.fetch_high_ns = std::max(scaled(time.fetch_high_ns), part.ns[static_cast<size_t>(AccountPart::kFetch)]);
  return part;
}

TaskParts::TaskParts(const Application& application, const SlotTimes& times, const std::vector<StageSummary>& stages)
    : application_(application),
      times_(times),
      has_metrics_(HasTaskMetrics(stages)),
      has_cpu_time_(HasCpuTime(application)),
      stops_for_gc_(StopsForGc(application)),
      run_time_factor_(RunTimeFactor(application, times, stages)),
      waits_(stages.size()) {
  const std::unordered_map<int64_t, int64_t> python_times = PythonTimes(application);
  for (size_t row = 0; row < stages.size(); ++row) {
    const auto python = python_times.find(application.stages[row].id);
    const int64_t python_ns = python == python_times.end() ? 0 : python->second;
    if (stages[row].wall_samples_ns > 0 || stages[row].lock_ns > 0 || python_ns > 0)
      waits_[row] = WaitsOf(stages[row], python_ns);
  }
}

AttemptTime TaskParts::WithoutWaits(size_t task) const {
  const Tasks& tasks = application_.tasks;
  const auto metric = [&](TaskMetric of) { return std::max<int64_t>(0, tasks.Column(of)[task]); };
  AttemptTime time;
  const int64_t slot_ns = times_.end_ns[task] - times_.begin_ns[task];
  int64_t left_ns = slot_ns;
  const auto take = [&](AccountPart part, int64_t ns) {
    ns = std::clamp<int64_t>(ns, 0, left_ns);
    left_ns -= ns;
    At(&time.ns, part) += ns;
    return ns;
  };
  const TaskOutcome outcome = tasks.outcome[task];
  if (outcome == TaskOutcome::kFailed || outcome == TaskOutcome::kKilled) {
    take(AccountPart::kLostWork, left_ns);
    return time;
  }
  if (!has_metrics_ || outcome == TaskOutcome::kRunning) {
    take(AccountPart::kCpu, metric(TaskMetric::kCpuSamples));
    take(AccountPart::kRun, left_ns);
    return time;
  }
  const int64_t cpu_ns = metric(TaskMetric::kExecutorCpuTime);
  int64_t run_ns = metric(TaskMetric::kExecutorRunTime) / run_time_factor_;
  // Rounding can make a short run shorter than its CPU time.
  run_ns = std::max(run_ns, std::min(cpu_ns, run_ns + kNanosPerMilli));
  run_ns = std::min(run_ns, left_ns);
  left_ns -= run_ns;
  const int64_t deserialize_ns = take(AccountPart::kDeserialization, metric(TaskMetric::kDeserializeTime));
  const int64_t serialize_ns = take(AccountPart::kResultSerialization, metric(TaskMetric::kResultSerializationTime));
  // A slot released earlier was free while the driver fetched the result.
  const int64_t cut_ns = metric(TaskMetric::kDuration) - slot_ns;
  take(AccountPart::kGettingResult, metric(TaskMetric::kGettingResultTime) - std::max<int64_t>(0, cut_ns));
  take(AccountPart::kSchedulerDelay, left_ns);
  left_ns = run_ns;
  take(AccountPart::kCpu, cpu_ns);
  const int64_t off_ns = left_ns;
  const int64_t gc_ns = stops_for_gc_ ? metric(TaskMetric::kGcTime) : 0;
  const int64_t around_ns = deserialize_ns + serialize_ns;
  const double in_run = run_ns <= 0 ? 0 : static_cast<double>(run_ns) / static_cast<double>(run_ns + around_ns);
  const int64_t gc_in_run_ns = take(AccountPart::kGc, Scaled(gc_ns, in_run));
  const int64_t fetch_ns = metric(TaskMetric::kShuffleFetchWait);
  const int64_t fetched_ns = take(AccountPart::kFetch, fetch_ns);
  take(has_cpu_time_ ? AccountPart::kOtherWait : AccountPart::kRun, left_ns);
  time.gc_low_ns = std::clamp<int64_t>(gc_ns - around_ns, 0, gc_in_run_ns);
  time.gc_high_ns = std::max(gc_in_run_ns, std::min(gc_ns, off_ns));
  time.fetch_low_ns = std::clamp<int64_t>(fetch_ns - gc_in_run_ns, 0, fetched_ns);
  time.fetch_high_ns = std::max(fetched_ns, std::min(fetch_ns, off_ns));
  return time;
}

TaskParts::Waits TaskParts::WaitsOf(const StageSummary& stage, int64_t python_ns) const {
  int64_t run_ns = 0, wait_ns = 0;
  for (const uint32_t task : stage.tasks) {
    const AttemptTime time = WithoutWaits(task);
    AddSaturated(RunTimeOf(time), &run_ns);
    AddSaturated(time.ns[static_cast<size_t>(AccountPart::kOtherWait)], &wait_ns);
  }
  Waits waits;
  if (wait_ns <= 0) return waits;
  double left = 1;
  const auto take = [&](AccountPart part, double ns) {
    const double share = std::clamp(ns / static_cast<double>(wait_ns), 0.0, left);
    if (share <= 0) return;
    left -= share;
    waits.shares.emplace_back(part, share);
  };
  if (stage.wall_samples_ns <= 0) {
    take(AccountPart::kLock, static_cast<double>(stage.lock_ns));
    take(AccountPart::kPython, static_cast<double>(python_ns));
    return waits;
  }
  waits.samples = CountOfWallSamples(application_, stage);
  // The samples show fractions of the run time, whose total Spark measures.
  const double scale = static_cast<double>(run_ns) / static_cast<double>(stage.wall_samples_ns);
  take(AccountPart::kPython, static_cast<double>(stage.python_wait_ns) * scale);
  take(AccountPart::kPythonStart, static_cast<double>(stage.python_start_ns) * scale);
  take(AccountPart::kEngine, static_cast<double>(stage.engine_wait_ns) * scale);
  take(AccountPart::kLock, static_cast<double>(stage.lock_ns));
  take(AccountPart::kSleep, static_cast<double>(stage.sleep_ns - stage.lock_ns) * scale);
  take(AccountPart::kCpuWait, static_cast<double>(stage.runnable_ns - stage.cpu_samples_ns) * scale);
  return waits;
}

AttemptTime TaskParts::Of(size_t task) const {
  AttemptTime time = WithoutWaits(task);
  const int32_t stage = application_.tasks.stage[task];
  if (stage < 0) return time;
  int64_t& wait_ns = At(&time.ns, AccountPart::kOtherWait);
  const int64_t all_ns = wait_ns;
  for (const auto& [part, share] : waits_[static_cast<size_t>(stage)].shares) {
    const int64_t ns = std::min(wait_ns, Scaled(all_ns, share));
    At(&time.ns, part) += ns;
    wait_ns -= ns;
  }
  return time;
}

std::vector<AccountEntry> TaskParts::EntriesOf(const AttemptTime& sum, int32_t stage) const {
  const auto of = [&](AccountPart part) { return sum.ns[static_cast<size_t>(part)]; };
  const auto samples = static_cast<double>(stage < 0 ? 0 : waits_[static_cast<size_t>(stage)].samples);
  std::vector<AccountEntry> entries;
  for (size_t row = 0; row < kAccountParts; ++row) {
    if (sum.ns[row] == 0) continue;
    AccountEntry& entry = entries.emplace_back();
    entry.part = static_cast<AccountPart>(row);
    entry.stage = stage;
    entry.ns = entry.low_ns = entry.high_ns = sum.ns[row];
    if (entry.part == AccountPart::kGc) {
      entry.low_ns = sum.gc_low_ns;
      entry.high_ns = sum.gc_high_ns;
    } else if (entry.part == AccountPart::kFetch) {
      entry.low_ns = sum.fetch_low_ns;
      entry.high_ns = sum.fetch_high_ns;
    } else if (entry.part == AccountPart::kOtherWait) {
      const int64_t overlap_ns = sum.gc_high_ns - of(AccountPart::kGc) + sum.fetch_high_ns - of(AccountPart::kFetch);
      entry.low_ns = std::max<int64_t>(0, entry.ns - overlap_ns);
      entry.high_ns += of(AccountPart::kGc) - sum.gc_low_ns + of(AccountPart::kFetch) - sum.fetch_low_ns;
    } else if (IsSampled(entry.part) && samples > 0) {
      // The relative error of k samples is 1 / √k.
      const auto ns = static_cast<double>(entry.ns);
      const double of_part = std::max(1.0, samples * ns / static_cast<double>(RunTimeOf(sum)));
      const auto error_ns = static_cast<int64_t>(ns / std::sqrt(of_part));
      entry.low_ns -= error_ns;
      entry.high_ns += error_ns;
    }
  }
  return entries;
}

}  // namespace sparkprof
