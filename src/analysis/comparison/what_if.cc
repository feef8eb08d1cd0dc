// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison/what_if.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "analysis/comparison/shared_cpus.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/time_spent.h"
#include "analysis/time/timeline.h"
#include "base/saturate.h"
#include "base/share.h"
#include "base/text/contains.h"

namespace sparkprof {
namespace {

struct StageSpan {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

struct SimulatedStage {
  size_t row = 0;
  StageSpan span;
  std::vector<int64_t> durations_ns;  // by task, in launch order
  std::vector<size_t> after;          // indexes of earlier stages
  int64_t pause_ns = 0;               // driver time after the last of them
};

struct Simulation {
  std::vector<SimulatedStage> stages;  // in order of start
  int64_t tail_ns = 0;                 // driver time after the last stage
};

// Returns the span from the first launch to the last end of each stage's tasks, and the tasks in launch order.
std::vector<StageSpan> SpansOf(const Application& application, int64_t end_ns,
                               std::vector<std::vector<size_t>>* tasks) {
  const Tasks& all = application.tasks;
  std::vector<StageSpan> spans(application.stages.size());
  tasks->resize(application.stages.size());
  for (size_t row = 0; row < all.Size(); ++row) {
    if (all.stage[row] < 0 || all.launch_ns[row] <= 0) continue;
    StageSpan& span = spans[static_cast<size_t>(all.stage[row])];
    if (span.begin_ns == 0 || all.launch_ns[row] < span.begin_ns) span.begin_ns = all.launch_ns[row];
    span.end_ns = std::max(span.end_ns, TaskEnd(application, row, end_ns));
    (*tasks)[static_cast<size_t>(all.stage[row])].push_back(row);
  }
  for (std::vector<size_t>& of_stage : *tasks) {
    std::ranges::stable_sort(of_stage, [&](size_t a, size_t b) { return all.launch_ns[a] < all.launch_ns[b]; });
  }
  return spans;
}

// A stage waits for its parents, and for the last stage that ended before the driver submitted it, because jobs follow
// each other.
Simulation Prepare(const Application& application, const TimeRange& range) {
  std::vector<std::vector<size_t>> tasks;
  const std::vector<StageSpan> spans = SpansOf(application, range.end_ns, &tasks);
  std::vector<size_t> order;
  for (size_t row = 0; row < spans.size(); ++row) {
    if (!tasks[row].empty()) order.push_back(row);
  }
  const auto submit_ns = [&](size_t row) {
    const int64_t submitted = application.stages[row].submit_ns;
    return submitted > 0 ? std::min(submitted, spans[row].begin_ns) : spans[row].begin_ns;
  };
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return submit_ns(a) < submit_ns(b); });
  Simulation simulation;
  int64_t last_end_ns = range.start_ns;
  std::set<std::pair<int64_t, size_t>> ends;    // ends of preceding stages, with their indexes
  std::map<int64_t, size_t> position_of_stage;  // index of the last attempt by stage ID
  for (const size_t row : order) {
    SimulatedStage stage{.row = row, .span = spans[row]};
    for (const size_t task : tasks[row]) {
      stage.durations_ns.push_back(
          std::max<int64_t>(0, TaskEnd(application, task, range.end_ns) - application.tasks.launch_ns[task]));
    }
    int64_t ready_ns = range.start_ns;
    const auto wait_for = [&](size_t position, int64_t end_ns) {
      stage.after.push_back(position);
      ready_ns = std::max(ready_ns, end_ns);
    };
    const auto later = ends.upper_bound({submit_ns(row), order.size()});
    if (later != ends.begin()) wait_for(std::prev(later)->second, std::prev(later)->first);
    for (const int64_t parent : application.stages[row].parents) {
      const auto known = position_of_stage.find(parent);
      if (known == position_of_stage.end()) continue;
      const size_t of_parent = simulation.stages[known->second].row;
      wait_for(known->second, std::min(spans[of_parent].end_ns, submit_ns(row)));
    }
    stage.pause_ns = std::max<int64_t>(0, submit_ns(row) - ready_ns);
    position_of_stage[application.stages[row].id] = simulation.stages.size();
    ends.emplace(spans[row].end_ns, simulation.stages.size());
    last_end_ns = std::max(last_end_ns, spans[row].end_ns);
    simulation.stages.push_back(std::move(stage));
  }
  simulation.tail_ns = std::max<int64_t>(0, range.end_ns - last_end_ns);
  return simulation;
}

std::vector<int64_t> LockTimes(const Application& application) {
  std::vector<int64_t> times(application.stages.size());
  const Profile& profile = application.profile;
  const EventId lock = profile.Row(Event::kLock);
  const std::vector<int32_t> task_rows = application.TaskRows();
  for (const Sample& sample : profile.samples) {
    if (sample.event != lock) continue;
    const int32_t task = task_rows[sample.task];
    const int32_t stage = task < 0 ? -1 : application.tasks.stage[static_cast<size_t>(task)];
    if (stage >= 0) times[static_cast<size_t>(stage)] += sample.weight;
  }
  return times;
}

// Factor by which tasks that wait for a lock become longer with another number of cores: work under the lock takes the
// same total time, however many tasks wait for it.
double FactorOfLock(int64_t task_ns, int64_t lock_ns, int64_t recorded_cores, int64_t cores, size_t tasks) {
  if (task_ns <= 0 || lock_ns <= 0) return 1;
  const auto total = static_cast<double>(task_ns);
  const double own = total - std::min(total, static_cast<double>(lock_ns));
  const auto count = static_cast<int64_t>(tasks);
  const auto before = static_cast<double>(std::min(recorded_cores, count));
  const auto after = static_cast<double>(std::min(cores, count));
  // While at least one task waits, another holds the lock.
  const double waiting = (total - own) / total * before;
  const double held = std::min(own, total / before * std::min(1.0, waiting));
  const double wall_before = std::max(own / before, held), wall_after = std::max(own / after, held);
  return wall_after * after / (wall_before * before);
}

// With more or fewer concurrent tasks, they wait longer or shorter for locks and CPUs.
void ChangeWaits(const Application& application, int64_t recorded_cores, int64_t cores, Simulation* simulation) {
  if (cores == recorded_cores) return;
  const std::vector<int64_t> lock_ns = LockTimes(application);
  const SharedCpus shared(application);
  for (SimulatedStage& stage : simulation->stages) {
    int64_t task_ns = 0;
    for (const int64_t duration_ns : stage.durations_ns) AddSaturated(duration_ns, &task_ns);
    const size_t tasks = stage.durations_ns.size();
    const double of_lock = FactorOfLock(task_ns, lock_ns[stage.row], recorded_cores, cores, tasks);
    const double factor =
        of_lock != 1 ? of_lock
                     : shared.Factor({stage.row, stage.span.begin_ns, stage.span.end_ns, task_ns, tasks}, cores);
    for (int64_t& duration_ns : stage.durations_ns) duration_ns = Scaled(duration_ns, factor);
  }
}

void Change(const Application& application, const WhatIf& what_if, Simulation* simulation) {
  for (SimulatedStage& stage : simulation->stages) {
    double sum = 0;
    for (const int64_t duration_ns : stage.durations_ns) sum += static_cast<double>(duration_ns);
    const auto mean_ns = static_cast<int64_t>(sum / static_cast<double>(stage.durations_ns.size()));
    const std::vector<int64_t>& fast = what_if.twice_as_fast;
    const bool is_fast = Contains(fast, application.stages[stage.row].id);
    for (int64_t& duration_ns : stage.durations_ns) {
      if (what_if.no_skew) duration_ns = mean_ns;
      if (is_fast) duration_ns /= 2;
    }
  }
}

// Places the tasks, stage by stage in the order of submission, on the core that is free first.
class Scheduler {
 public:
  Scheduler(const Simulation& simulation, int64_t cores) : simulation_(simulation), free_(cores) {}

  int64_t Duration() {
    const size_t count = simulation_.stages.size();
    waiting_for_.resize(count);
    ready_ns_.assign(count, 0);
    left_.resize(count);
    dependents_.resize(count);
    for (size_t stage = 0; stage < count; ++stage) {
      const std::vector<size_t>& after = simulation_.stages[stage].after;
      waiting_for_[stage] = after.size();
      left_[stage] = simulation_.stages[stage].durations_ns.size();
      for (const size_t before : after) dependents_[before].push_back(stage);
      if (after.empty()) releases_.emplace(simulation_.stages[stage].pause_ns, stage);
    }
    int64_t now_ns = 0;
    while (!releases_.empty() || !running_.empty()) {
      now_ns = NextTime();
      Release(now_ns);
      End(now_ns);
      Start(now_ns);
    }
    return now_ns + simulation_.tail_ns;
  }

 private:
  using Moment = std::pair<int64_t, size_t>;  // time and stage
  using Moments = std::priority_queue<Moment, std::vector<Moment>, std::greater<>>;

  int64_t NextTime() const {
    if (releases_.empty()) return running_.top().first;
    if (running_.empty()) return releases_.top().first;
    return std::min(releases_.top().first, running_.top().first);
  }

  void Release(int64_t now_ns) {
    for (; !releases_.empty() && releases_.top().first <= now_ns; releases_.pop())
      ready_.emplace(releases_.top().second, 0);
  }

  void End(int64_t now_ns) {
    while (!running_.empty() && running_.top().first <= now_ns) {
      const size_t stage = running_.top().second;
      running_.pop();
      ++free_;
      if (--left_[stage] > 0) continue;
      for (const size_t dependent : dependents_[stage]) {
        ready_ns_[dependent] = std::max(ready_ns_[dependent], now_ns);
        if (--waiting_for_[dependent] == 0) {
          releases_.emplace(ready_ns_[dependent] + simulation_.stages[dependent].pause_ns, dependent);
        }
      }
    }
  }

  void Start(int64_t now_ns) {
    while (free_ > 0 && !ready_.empty()) {
      const auto first = ready_.begin();
      const std::vector<int64_t>& durations = simulation_.stages[first->first].durations_ns;
      running_.emplace(now_ns + durations[first->second], first->first);
      --free_;
      if (++first->second == durations.size()) ready_.erase(first);
    }
  }

  const Simulation& simulation_;
  int64_t free_;
  Moments releases_;
  Moments running_;
  std::map<size_t, size_t> ready_;  // next task by stage
  std::vector<size_t> waiting_for_;
  std::vector<int64_t> ready_ns_;
  std::vector<size_t> left_;
  std::vector<std::vector<size_t>> dependents_;
};

int64_t CoresAtPeak(const Application& application) {
  const int64_t peak = PeakCores(application);
  return std::max<int64_t>(1, peak > 0 ? peak : ProfileOf(application).peak);
}

// Share of the task time that is neither computing nor covered by Spark's metrics. This part changes most with another
// number of cores on the same machine.
double UnexplainedShare(const Application& application) {
  const auto sum = [&](TaskMetric metric) {
    double total = 0;
    for (const int64_t value : application.tasks.Column(metric)) total += static_cast<double>(value);
    return total;
  };
  const double run_ns = sum(TaskMetric::kExecutorRunTime), all_ns = sum(TaskMetric::kDuration);
  if (run_ns == 0 || all_ns == 0) return 0;
  const double explained_ns =
      sum(TaskMetric::kExecutorCpuTime) + sum(TaskMetric::kGcTime) + sum(TaskMetric::kShuffleFetchWait);
  return std::clamp(1 - explained_ns / all_ns, 0.0, 1.0);
}

}  // namespace

Prediction Predict(const Application& application, const WhatIf& what_if) {
  const TimeRange range = RangeOf(application);
  Simulation simulation = Prepare(application, range);
  Prediction prediction;
  if (simulation.stages.empty() || range.Duration() <= 0) return prediction;
  prediction.recorded_ns = range.Duration();
  prediction.recorded_cores = CoresAtPeak(application);
  prediction.cores = what_if.cores > 0 ? what_if.cores : prediction.recorded_cores;
  prediction.replayed_ns = Scheduler(simulation, prediction.recorded_cores).Duration();
  ChangeWaits(application, prediction.recorded_cores, prediction.cores, &simulation);
  Change(application, what_if, &simulation);
  const auto changed_ns = static_cast<double>(Scheduler(simulation, prediction.cores).Duration());
  const double replayed_ns = static_cast<double>(std::max<int64_t>(1, prediction.replayed_ns));
  const double recorded_ns = static_cast<double>(prediction.recorded_ns);
  const double predicted_ns = changed_ns * (recorded_ns / replayed_ns);
  // The model's own error, plus a fraction of the change: task durations change if more or fewer tasks share a machine
  // or start cold.
  constexpr double kOfChange = 0.2, kMostOfChange = 0.8;
  const bool is_recorded_count = prediction.cores == prediction.recorded_cores;
  const double of_change =
      is_recorded_count ? kOfChange : std::min(kMostOfChange, kOfChange + UnexplainedShare(application));
  // In local mode the driver, the JVM's compiler and its collector use the cores that tasks leave free, so one core
  // more or less changes less than the model predicts.
  const bool is_shared = !is_recorded_count && application.master.starts_with("local");
  const double change_ns = predicted_ns - recorded_ns;
  const double model_ns = std::abs(predicted_ns - changed_ns);
  // Two runs of a job on one machine differ by this much.
  constexpr double kBetweenRuns = 0.15;
  const double least_ns = is_shared ? kBetweenRuns * predicted_ns : 0;
  const double away_ns = std::max(least_ns, model_ns + of_change * std::abs(change_ns));
  const double back_ns = is_shared ? std::max(least_ns, model_ns + kMostOfChange * std::abs(change_ns)) : away_ns;
  prediction.predicted_ns = static_cast<int64_t>(predicted_ns);
  prediction.low_ns = static_cast<int64_t>(std::max(0.0, predicted_ns - (change_ns > 0 ? back_ns : away_ns)));
  prediction.high_ns = static_cast<int64_t>(predicted_ns + (change_ns > 0 ? away_ns : back_ns));
  return prediction;
}

}  // namespace sparkprof
