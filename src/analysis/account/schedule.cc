// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/schedule.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/selection/spark_settings.h"
#include "analysis/time/timeline.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

int64_t CpusOr(std::optional<std::string_view> text, int64_t otherwise) {
  const std::optional<int64_t> cpus = text ? ParseInteger(*text) : std::nullopt;
  return cpus && *cpus > 0 ? *cpus : otherwise;
}

int64_t CpusOfTask(const Application& application, int64_t resource_profile, int64_t of_application) {
  for (const ResourceProfile& profile : application.resource_profiles) {
    if (profile.id != resource_profile) continue;
    for (const auto& [name, amount] : profile.requests) {
      if (name == "task.cpus") return CpusOr(amount, of_application);
    }
  }
  return of_application;
}

std::vector<ExecutorSlots> SlotsOfExecutors(const Application& application, const TimeRange& range) {
  const int64_t cpus = CpusOr(SettingOf(application, "spark.task.cpus"), 1);
  std::vector<ExecutorSlots> all;
  for (const Executor& executor : application.executors) {
    ExecutorSlots& one = all.emplace_back();
    one.begin_ns = std::clamp(executor.add_ns > 0 ? executor.add_ns : range.start_ns, range.start_ns, range.end_ns);
    one.end_ns = std::clamp(executor.remove_ns > 0 ? executor.remove_ns : range.end_ns, one.begin_ns, range.end_ns);
    one.cores = std::max<int64_t>(0, executor.cores);
    one.cpus = CpusOfTask(application, executor.resource_profile, cpus);
    // At least one: a task ran there.
    one.slots = one.cores == 0 ? 0 : std::max<int64_t>(1, one.cores / one.cpus);
    one.cpus = std::min(one.cpus, std::max<int64_t>(1, one.cores));
  }
  all.push_back({range.start_ns, range.end_ns});
  return all;
}

// Assigns the attempts of one executor to its slots, in the order of their start.
class SlotAssignment {
 public:
  SlotAssignment(const ExecutorSlots& executor, SlotTimes* times) : slots_(executor.slots), times_(*times) {}

  // `next_slot` numbers the slots of all executors.
  void Add(uint32_t task, int32_t* next_slot) {
    const int64_t begin_ns = times_.begin_ns[task];
    for (; !running_.empty() && running_.top().first <= begin_ns; running_.pop())
      free_.push_back(running_.top().second);
    int32_t before = -1;
    if (!free_.empty()) {
      before = static_cast<int32_t>(free_.back());
      free_.pop_back();
    } else if (slots_ == 0 || used_ < slots_) {
      ++used_;
    } else {
      const uint32_t earliest = running_.top().second;
      running_.pop();
      times_.end_ns[earliest] = begin_ns;
      before = static_cast<int32_t>(earliest);
    }
    times_.before[task] = before;
    times_.slot[task] = before < 0 ? (*next_slot)++ : times_.slot[static_cast<size_t>(before)];
    running_.emplace(times_.end_ns[task], task);
  }

  int64_t Used() const { return used_; }

 private:
  using End = std::pair<int64_t, uint32_t>;

  const int64_t slots_;  // 0 = unknown
  SlotTimes& times_;
  int64_t used_ = 0;
  std::priority_queue<End, std::vector<End>, std::greater<>> running_;
  std::vector<uint32_t> free_;  // last tasks of free slots, latest end last
};

class ScheduleBuilder {
 public:
  ScheduleBuilder(const Application& application, const SlotTimes& times, const std::vector<StageSummary>& stages)
      : application_(application), times_(times), summaries_(stages) {
    schedule_.range = RangeOf(application);
  }

  Schedule Take() {
    AddJobs();
    AddStages();
    LinkStages();
    LinkJobs();
    MeasureGaps();
    return std::move(schedule_);
  }

 private:
  int64_t Clamped(int64_t time_ns, int64_t otherwise) const {
    return std::clamp(time_ns > 0 ? time_ns : otherwise, schedule_.range.start_ns, schedule_.range.end_ns);
  }

  void AddJobs() {
    for (size_t row = 0; row < application_.jobs.size(); ++row) {
      const Job& job = application_.jobs[row];
      if (job.submit_ns <= 0) continue;
      ScheduledJob& one = schedule_.jobs.emplace_back();
      one.row = static_cast<int32_t>(row);
      one.submit_ns = Clamped(job.submit_ns, 0);
      one.end_ns = std::max(one.submit_ns, Clamped(job.end_ns, schedule_.range.end_ns));
    }
    std::ranges::stable_sort(schedule_.jobs, {}, &ScheduledJob::submit_ns);
    for (uint32_t at = 0; at < schedule_.jobs.size(); ++at)
      job_of_id_.emplace(application_.jobs[static_cast<size_t>(schedule_.jobs[at].row)].id, at);
  }

  // Sets the last end of the tasks that the stage needed; tasks that end after the stage do not count.
  void SetEnd(int64_t stage_end_ns, ScheduledStage* stage) const {
    const auto end_of = [&](uint32_t task) { return times_.end_ns[task]; };
    int32_t second = -1;
    for (const bool only_needed : {true, false}) {
      for (const uint32_t task : stage->by_launch) {
        if (only_needed && end_of(task) > stage_end_ns) continue;
        const auto row = static_cast<int32_t>(task);
        if (stage->last_task < 0 || end_of(task) >= end_of(static_cast<uint32_t>(stage->last_task))) {
          if (stage->last_task >= 0 && times_.slot[static_cast<size_t>(stage->last_task)] != times_.slot[task])
            second = stage->last_task;
          stage->last_task = row;
        } else if (times_.slot[task] != times_.slot[static_cast<size_t>(stage->last_task)] &&
                   (second < 0 || end_of(task) > end_of(static_cast<uint32_t>(second)))) {
          second = row;
        }
      }
      if (stage->last_task >= 0) break;
    }
    stage->done_ns = end_of(static_cast<uint32_t>(stage->last_task));
    stage->second_ns = second < 0 ? times_.begin_ns[stage->by_launch.front()] : end_of(static_cast<uint32_t>(second));
  }

  void AddStages() {
    for (size_t row = 0; row < summaries_.size(); ++row) {
      ScheduledStage stage;
      for (const uint32_t task : summaries_[row].tasks) {
        if (times_.slot[task] >= 0) stage.by_launch.push_back(task);
      }
      if (stage.by_launch.empty()) continue;
      const auto earlier = [&](uint32_t a, uint32_t b) { return times_.begin_ns[a] < times_.begin_ns[b]; };
      if (!std::ranges::is_sorted(stage.by_launch, earlier)) std::ranges::stable_sort(stage.by_launch, earlier);
      const Stage& known = application_.stages[row];
      const int64_t begin_ns = times_.begin_ns[stage.by_launch.front()];
      stage.row = static_cast<int32_t>(row);
      stage.submit_ns = std::min(Clamped(known.submit_ns, begin_ns), begin_ns);
      SetEnd(Clamped(known.end_ns, schedule_.range.end_ns), &stage);
      const auto job = job_of_id_.find(known.job);
      // The times of text logs may be whole seconds.
      if (job != job_of_id_.end() && schedule_.jobs[job->second].submit_ns <= stage.submit_ns + kNanosPerSecond) {
        stage.job = job->second;
      } else {
        stage.job = static_cast<uint32_t>(schedule_.jobs.size());
        schedule_.jobs.push_back({-1, stage.submit_ns, stage.done_ns});
      }
      schedule_.stages.push_back(std::move(stage));
    }
    SortJobs();
    for (uint32_t at = 0; at < schedule_.stages.size(); ++at)
      schedule_.jobs[schedule_.stages[at].job].stages.push_back(at);
  }

  // Jobs of stages without one were added last.
  void SortJobs() {
    std::vector<uint32_t> order(schedule_.jobs.size());
    for (uint32_t at = 0; at < order.size(); ++at) order[at] = at;
    std::ranges::stable_sort(
        order, [&](uint32_t a, uint32_t b) { return schedule_.jobs[a].submit_ns < schedule_.jobs[b].submit_ns; });
    std::vector<ScheduledJob> sorted;
    std::vector<uint32_t> position(order.size());
    for (const uint32_t at : order) {
      position[at] = static_cast<uint32_t>(sorted.size());
      sorted.push_back(std::move(schedule_.jobs[at]));
    }
    schedule_.jobs = std::move(sorted);
    for (ScheduledStage& stage : schedule_.stages) stage.job = position[stage.job];
  }

  // Spark gives parents smaller IDs. If a parent ran several times, uses the last attempt that was done before.
  void LinkStages() {
    std::unordered_map<int64_t, std::vector<uint32_t>> attempts;
    for (uint32_t at = 0; at < schedule_.stages.size(); ++at) attempts[IdOf(schedule_.stages[at])].push_back(at);
    for (ScheduledStage& stage : schedule_.stages) {
      for (const int64_t parent : application_.stages[static_cast<size_t>(stage.row)].parents) {
        const auto known = attempts.find(parent);
        if (known == attempts.end() || parent >= IdOf(stage)) continue;
        const ScheduledStage* last = nullptr;
        for (const uint32_t at : known->second) {
          const ScheduledStage& attempt = schedule_.stages[at];
          if (attempt.done_ns <= stage.submit_ns && (last == nullptr || attempt.done_ns > last->done_ns))
            last = &attempt;
        }
        if (last != nullptr) stage.after.push_back(static_cast<uint32_t>(last - schedule_.stages.data()));
      }
    }
  }

  int64_t IdOf(const ScheduledStage& stage) const { return application_.stages[static_cast<size_t>(stage.row)].id; }

  void LinkJobs() {
    std::set<std::pair<int64_t, uint32_t>> ends;  // ends of preceding jobs
    std::unordered_map<int64_t, std::vector<uint32_t>>
        of_query;  // the query's jobs that no other one has waited for yet
    for (uint32_t at = 0; at < schedule_.jobs.size(); ++at) {
      ScheduledJob& job = schedule_.jobs[at];
      const int64_t query = job.row < 0 ? -1 : application_.jobs[static_cast<size_t>(job.row)].sql_execution;
      if (query >= 0) {
        std::erase_if(of_query[query], [&](uint32_t before) {
          const bool has_ended = schedule_.jobs[before].end_ns <= job.submit_ns;
          if (has_ended) job.after.push_back(before);
          return has_ended;
        });
        of_query[query].push_back(at);
      }
      const auto later = ends.upper_bound({job.submit_ns, at});
      if (job.after.empty() && later != ends.begin()) job.after.push_back(std::prev(later)->second);
      ends.emplace(job.end_ns, at);
    }
  }

  void MeasureGaps() {
    schedule_.gaps_ns.assign(schedule_.GapAtEnd() + 1, 0);
    int64_t last_end_ns = schedule_.range.start_ns;
    for (size_t at = 0; at < schedule_.stages.size(); ++at) {
      const ScheduledStage& stage = schedule_.stages[at];
      int64_t ready_ns = schedule_.jobs[stage.job].submit_ns;
      for (const uint32_t parent : stage.after) ready_ns = std::max(ready_ns, schedule_.stages[parent].done_ns);
      schedule_.gaps_ns[schedule_.GapBeforeStage(at)] = std::max<int64_t>(0, stage.submit_ns - ready_ns);
    }
    for (size_t at = 0; at < schedule_.jobs.size(); ++at) {
      const ScheduledJob& job = schedule_.jobs[at];
      int64_t ready_ns = schedule_.range.start_ns, done_ns = job.submit_ns;
      for (const uint32_t before : job.after) ready_ns = std::max(ready_ns, schedule_.jobs[before].end_ns);
      for (const uint32_t stage : job.stages) done_ns = std::max(done_ns, schedule_.stages[stage].done_ns);
      schedule_.gaps_ns[schedule_.GapBeforeJob(at)] = std::max<int64_t>(0, job.submit_ns - ready_ns);
      schedule_.gaps_ns[schedule_.GapAtEndOfJob(at)] = std::max<int64_t>(0, job.end_ns - done_ns);
      last_end_ns = std::max(last_end_ns, job.end_ns);
    }
    schedule_.gaps_ns[schedule_.GapAtEnd()] = schedule_.range.end_ns - last_end_ns;
  }

  const Application& application_;
  const SlotTimes& times_;
  const std::vector<StageSummary>& summaries_;
  Schedule schedule_;
  std::unordered_map<int64_t, uint32_t> job_of_id_;
};

}  // namespace

std::vector<uint32_t> RowsByTime(const std::vector<int64_t>& times_ns) {
  std::vector<uint32_t> rows(times_ns.size());
  std::iota(rows.begin(), rows.end(), 0);
  if (!std::ranges::is_sorted(times_ns)) {
    std::ranges::stable_sort(rows, [&](uint32_t a, uint32_t b) { return times_ns[a] < times_ns[b]; });
  }
  return rows;
}

SlotTimes SlotTimesOf(const Application& application) {
  const Tasks& tasks = application.tasks;
  const TimeRange range = RangeOf(application);
  SlotTimes times;
  times.executors = SlotsOfExecutors(application, range);
  times.begin_ns.resize(tasks.Size());
  times.end_ns.resize(tasks.Size());
  times.slot.assign(tasks.Size(), -1);
  times.before.assign(tasks.Size(), -1);
  const auto place_of = [&](size_t task) {
    return tasks.executor[task] < 0 ? times.executors.size() - 1 : static_cast<size_t>(tasks.executor[task]);
  };
  std::vector<bool> has_tasks(times.executors.size());
  for (size_t task = 0; task < tasks.Size(); ++task) {
    if (tasks.launch_ns[task] <= 0) continue;
    const ExecutorSlots& executor = times.executors[place_of(task)];
    times.begin_ns[task] = std::clamp(tasks.launch_ns[task], executor.begin_ns, executor.end_ns);
    times.end_ns[task] = std::clamp(TaskEnd(application, task, range.end_ns), times.begin_ns[task], executor.end_ns);
    has_tasks[place_of(task)] = true;
  }
  times.has_cores =
      std::ranges::any_of(times.executors, [](const ExecutorSlots& executor) { return executor.cores > 0; });
  std::vector<SlotAssignment> assignments;
  assignments.reserve(times.executors.size());
  for (size_t row = 0; row < times.executors.size(); ++row) {
    const ExecutorSlots& executor = times.executors[row];
    if (has_tasks[row] && executor.cores == 0) times.has_cores = false;
    assignments.emplace_back(executor, &times);
  }
  int32_t next_slot = 0;
  for (const uint32_t task : RowsByTime(times.begin_ns)) {
    if (tasks.launch_ns[task] > 0) assignments[place_of(task)].Add(task, &next_slot);
  }
  for (size_t row = 0; row < assignments.size(); ++row) {
    if (times.executors[row].slots == 0) times.executors[row].slots = assignments[row].Used();
  }
  return times;
}

Schedule ScheduleOf(const Application& application, const SlotTimes& times, const std::vector<StageSummary>& stages) {
  return ScheduleBuilder(application, times, stages).Take();
}

}  // namespace sparkprof
