// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/slot_times.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <utility>

#include "analysis/selection/spark_settings.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/timeline.h"
#include "base/text/text.h"

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
      times_.cut_ns += times_.end_ns[earliest] - begin_ns;
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

}  // namespace

std::vector<uint32_t> RowsByTime(const std::vector<int64_t>& times_ns) {
  std::vector<uint32_t> rows(times_ns.size());
  std::iota(rows.begin(), rows.end(), 0);
  if (!std::is_sorted(times_ns.begin(), times_ns.end())) {
    std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) { return times_ns[a] < times_ns[b]; });
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
  times.has_cores = std::any_of(times.executors.begin(), times.executors.end(),
                                [](const ExecutorSlots& executor) { return executor.cores > 0; });
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

}  // namespace sparkprof
