// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/schedule_replay.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

namespace sparkprof {
namespace {

struct ReplayEvent {
  enum class Kind : uint8_t { kTaskEnd, kSlots, kStageBegin, kStageEnd, kJobBegin, kJobEnd };

  int64_t time_ns = 0;
  Kind kind = Kind::kTaskEnd;
  uint32_t at = 0;         // index of the stage, the job or the pool
  int64_t slots = 0;       // slots added or removed
  bool is_needed = false;  // for a task: whether its stage needs it

  bool operator>(const ReplayEvent& other) const { return time_ns > other.time_ns; }
};

int64_t At(const std::vector<int64_t>& all, size_t row) { return all.empty() ? 0 : all[row]; }

using StageRun = ScheduleReplay::StageRun;

class ReplayRun {
 public:
  // Stages that had all slots to themselves in `known` and do not change are not replayed; null = all are replayed.
  // Stores the result of the replay in `observed` unless it is null.
  ReplayRun(const Application& application, const SlotTimes& times, const Schedule& schedule,
            const std::vector<int64_t>& length_ns, const ScheduleChange& change, const std::vector<StageRun>* known,
            std::vector<StageRun>* observed)
      : application_(application),
        times_(times),
        schedule_(schedule),
        length_ns_(length_ns),
        change_(change),
        known_(known),
        observed_(observed),
        stages_(schedule.stages.size()),
        jobs_(schedule.jobs.size()) {
    std::vector<std::vector<int64_t>> added_ns(application.stages.size());
    for (const ScheduleChange::AddedTask& task : change.added_tasks)
      added_ns[static_cast<size_t>(task.stage)].push_back(task.ns);
    AddSlots();
    for (uint32_t at = 0; at < stages_.size(); ++at) {
      const ScheduledStage& stage = schedule.stages[at];
      StageState& state = stages_[at];
      state.pool = PoolOf(stage.by_launch.front());
      state.waits_for = stage.after.size() + 1;
      for (const uint32_t parent : stage.after) stages_[parent].children.push_back(at);
      state.added_ns = std::move(added_ns[static_cast<size_t>(stage.row)]);
      state.is_known = known != nullptr && (*known)[at].is_alone && state.added_ns.empty() && !Changes(stage);
      state.needs = state.is_known ? 1 : state.added_ns.size();
      if (state.is_known) continue;
      for (const uint32_t task : stage.by_launch) state.needs += schedule.IsNeeded(times, at, task);
    }
    for (uint32_t at = 0; at < jobs_.size(); ++at) {
      const ScheduledJob& job = schedule.jobs[at];
      jobs_[at].waits_for = job.after.size();
      jobs_[at].needs = job.stages.size();
      for (const uint32_t before : job.after) jobs_[before].next.push_back(at);
      if (job.after.empty()) BeginJob(at, schedule.range.start_ns);
    }
  }

  // nullopt if a stage that was not replayed would no longer have all slots to itself.
  std::optional<int64_t> Duration() {
    last_end_ns_ = schedule_.range.start_ns;
    while (!events_.empty()) {
      if (is_disturbed_) return std::nullopt;
      now_ns_ = events_.top().time_ns;
      while (!events_.empty() && events_.top().time_ns == now_ns_) {
        const ReplayEvent event = events_.top();
        events_.pop();
        Handle(event);
      }
      for (Pool& pool : pools_) StartTasks(&pool);
      if (!events_.empty()) continue;
      // All executors had ended by now in the recorded run.
      for (Pool& pool : pools_) {
        pool.free = std::max<int64_t>(1, pool.free);
        StartTasks(&pool);
      }
    }
    return last_end_ns_ + Gap(schedule_.GapAtEnd()) - schedule_.range.start_ns;
  }

 private:
  using Ready = std::pair<int64_t, uint32_t>;  // launch time of the next task, index of its stage

  // Executors of one resource profile, which run the same stages.
  struct Pool {
    int64_t profile = 0;
    int64_t slots = 0;
    int64_t free = 0;         // free slots; negative while tasks run on ended executors
    int64_t known_until = 0;  // until then it belongs to a stage that is not replayed
    int32_t alone = -1;       // index of the stage that has had it to itself so far
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  };
  struct StageState {
    uint32_t pool = 0;
    size_t waits_for = 0;  // number of pending parents, plus one for the job
    int64_t ready_ns = 0;
    bool is_known = false;          // not replayed
    size_t next = 0;                // next task to start
    size_t needs = 0;               // number of required tasks
    std::vector<int64_t> added_ns;  // durations of added tasks
    std::vector<uint32_t> children;
  };
  struct JobState {
    size_t waits_for = 0;  // number of pending jobs
    int64_t ready_ns = 0;
    size_t needs = 0;  // number of required stages
    std::vector<uint32_t> next;
  };

  bool Changes(const ScheduledStage& stage) const {
    return std::ranges::any_of(stage.by_launch, [&](uint32_t task) { return At(change_.task_ns, task) != 0; });
  }
  int64_t Gap(size_t gap) const { return std::max<int64_t>(0, schedule_.gaps_ns[gap]); }

  // Executors that existed when the last task ended would have stayed as long as tasks ran. Executors that got no task
  // although tasks waited get none.
  void AddSlots() {
    int64_t last_end_ns = 0;
    std::vector<bool> has_tasks(times_.executors.size());
    std::vector<uint32_t> pools(times_.executors.size());
    for (uint32_t task = 0; task < times_.slot.size(); ++task) {
      last_end_ns = std::max(last_end_ns, times_.end_ns[task]);
      const size_t executor = ExecutorOf(task);
      if (times_.slot[task] < 0 || has_tasks[executor]) continue;
      has_tasks[executor] = true;
      pools[executor] = PoolOf(task);
    }
    for (size_t row = 0; row < times_.executors.size(); ++row) {
      const ExecutorSlots& executor = times_.executors[row];
      if (!has_tasks[row]) continue;
      events_.push({executor.begin_ns, ReplayEvent::Kind::kSlots, pools[row], executor.slots});
      if (executor.end_ns < last_end_ns)
        events_.push({executor.end_ns, ReplayEvent::Kind::kSlots, pools[row], -executor.slots});
    }
  }

  size_t ExecutorOf(uint32_t task) const {
    const int32_t executor = application_.tasks.executor[task];
    return executor < 0 ? application_.executors.size() : static_cast<size_t>(executor);
  }

  uint32_t PoolOf(uint32_t task) {
    const size_t executor = ExecutorOf(task);
    const int64_t profile =
        executor == application_.executors.size() ? 0 : application_.executors[executor].resource_profile;
    const auto known = std::ranges::find_if(pools_, [&](const Pool& pool) { return pool.profile == profile; });
    const auto at = static_cast<uint32_t>(known - pools_.begin());
    if (known == pools_.end()) pools_.push_back({profile});
    return at;
  }

  void BeginJob(uint32_t job, int64_t ready_ns) {
    events_.push({ready_ns + Gap(schedule_.GapBeforeJob(job)), ReplayEvent::Kind::kJobBegin, job});
  }

  void EndJob(uint32_t job) {
    events_.push({now_ns_ + Gap(schedule_.GapAtEndOfJob(job)), ReplayEvent::Kind::kJobEnd, job});
  }

  void Handle(const ReplayEvent& event) {
    switch (event.kind) {
      case ReplayEvent::Kind::kTaskEnd:
        ++pools_[stages_[event.at].pool].free;
        if (event.is_needed && --stages_[event.at].needs == 0) EndStage(event.at);
        SeeEnd(&pools_[stages_[event.at].pool]);
        break;
      case ReplayEvent::Kind::kSlots:
        is_disturbed_ |= now_ns_ < pools_[event.at].known_until;
        pools_[event.at].alone = -1;
        pools_[event.at].slots += event.slots;
        pools_[event.at].free += event.slots;
        break;
      case ReplayEvent::Kind::kStageEnd:
        EndStage(event.at);
        break;
      case ReplayEvent::Kind::kStageBegin:
        BeginStage(event.at);
        break;
      case ReplayEvent::Kind::kJobBegin:
        for (const uint32_t stage : schedule_.jobs[event.at].stages) Release(stage);
        if (jobs_[event.at].needs == 0) EndJob(event.at);
        break;
      case ReplayEvent::Kind::kJobEnd:
        last_end_ns_ = std::max(last_end_ns_, now_ns_);
        for (const uint32_t next : jobs_[event.at].next) {
          jobs_[next].ready_ns = std::max(jobs_[next].ready_ns, now_ns_);
          if (--jobs_[next].waits_for == 0) BeginJob(next, jobs_[next].ready_ns);
        }
        break;
    }
  }

  void Release(uint32_t stage) {
    StageState& state = stages_[stage];
    state.ready_ns = std::max(state.ready_ns, now_ns_);
    if (--state.waits_for > 0) return;
    events_.push({state.ready_ns + Gap(schedule_.GapBeforeStage(stage)), ReplayEvent::Kind::kStageBegin, stage});
  }

  void BeginStage(uint32_t stage) {
    if (stages_[stage].needs == 0) EndStage(stage);
    Pool& pool = pools_[stages_[stage].pool];
    is_disturbed_ |= now_ns_ < pool.known_until;
    const bool is_idle = pool.free == pool.slots && pool.ready.empty();
    if (stages_[stage].is_known) {
      const StageRun& run = (*known_)[stage];
      is_disturbed_ |= !is_idle || pool.slots != run.slots;
      pool.known_until = now_ns_ + run.last_ns - run.begin_ns;
      events_.push({now_ns_ + run.done_ns - run.begin_ns, ReplayEvent::Kind::kStageEnd, stage});
      return;
    }
    pool.alone = is_idle ? static_cast<int32_t>(stage) : -1;
    if (observed_ != nullptr) (*observed_)[stage] = {now_ns_, now_ns_, now_ns_, pool.slots};
    MakeReady(stage);
  }

  void SeeEnd(Pool* pool) {
    if (observed_ == nullptr || pool->alone < 0 || pool->free != pool->slots || !pool->ready.empty()) return;
    StageRun& run = (*observed_)[static_cast<size_t>(pool->alone)];
    run.last_ns = now_ns_;
    run.is_alone = true;
    pool->alone = -1;
  }

  void EndStage(uint32_t stage) {
    if (observed_ != nullptr) (*observed_)[stage].done_ns = now_ns_;
    for (const uint32_t child : stages_[stage].children) Release(child);
    const uint32_t job = schedule_.stages[stage].job;
    if (--jobs_[job].needs == 0) EndJob(job);
  }

  // Queues the next task of the stage. Stages share the slots in the order in which their tasks were launched.
  void MakeReady(uint32_t stage) {
    const std::vector<uint32_t>& tasks = schedule_.stages[stage].by_launch;
    StageState& state = stages_[stage];
    if (state.next < tasks.size()) {
      pools_[state.pool].ready.emplace(times_.begin_ns[tasks[state.next]], stage);
    } else if (state.next < tasks.size() + state.added_ns.size()) {
      pools_[state.pool].ready.emplace(times_.end_ns[tasks.back()], stage);
    }
  }

  void StartTasks(Pool* pool) {
    while (pool->free > 0 && !pool->ready.empty()) {
      const uint32_t stage = pool->ready.top().second;
      pool->ready.pop();
      const std::vector<uint32_t>& tasks = schedule_.stages[stage].by_launch;
      StageState& state = stages_[stage];
      const bool is_added = state.next >= tasks.size();
      const int64_t length_ns = is_added ? state.added_ns[state.next - tasks.size()]
                                         : length_ns_[tasks[state.next]] + At(change_.task_ns, tasks[state.next]);
      const bool is_needed = is_added || schedule_.IsNeeded(times_, stage, tasks[state.next]);
      events_.push({now_ns_ + std::max<int64_t>(0, length_ns), ReplayEvent::Kind::kTaskEnd, stage, 0, is_needed});
      --pool->free;
      ++state.next;
      MakeReady(stage);
    }
  }

  const Application& application_;
  const SlotTimes& times_;
  const Schedule& schedule_;
  const std::vector<int64_t>& length_ns_;
  const ScheduleChange& change_;
  const std::vector<StageRun>* const known_;
  std::vector<StageRun>* const observed_;
  std::vector<StageState> stages_;
  std::vector<JobState> jobs_;
  std::priority_queue<ReplayEvent, std::vector<ReplayEvent>, std::greater<>> events_;
  std::vector<Pool> pools_;
  int64_t now_ns_ = 0;
  int64_t last_end_ns_ = 0;  // end of the last job
  bool is_disturbed_ = false;
};

}  // namespace

ScheduleReplay::ScheduleReplay(const Application& application, const SlotTimes& times, const Schedule& schedule)
    : application_(application),
      times_(times),
      schedule_(schedule),
      length_ns_(times.slot.size()),
      stages_(schedule.stages.size()) {
  for (const ScheduledStage& stage : schedule.stages) {
    for (const uint32_t task : stage.by_launch) {
      // A task waits from the time when its slot was free and its stage was submitted.
      const int32_t before = times.before[task], executor = application.tasks.executor[task];
      int64_t free_ns = stage.submit_ns;
      if (before >= 0) free_ns = std::max(free_ns, times.end_ns[static_cast<size_t>(before)]);
      if (executor >= 0) free_ns = std::max(free_ns, times.executors[static_cast<size_t>(executor)].begin_ns);
      length_ns_[task] = times.end_ns[task] - std::min(free_ns, times.begin_ns[task]);
    }
  }
  unchanged_ns_ = *ReplayRun(application, times, schedule, length_ns_, {}, nullptr, &stages_).Duration();
}

bool ScheduleReplay::IsReliable() const {
  const auto recorded_ns = static_cast<double>(schedule_.range.Duration());
  return std::abs(static_cast<double>(unchanged_ns_) - recorded_ns) <= kMaxError * recorded_ns;
}

int64_t ScheduleReplay::DurationWith(const ScheduleChange& change) const {
  const auto run = [&](const std::vector<StageRun>* known) {
    return ReplayRun(application_, times_, schedule_, length_ns_, change, known, nullptr).Duration();
  };
  const std::optional<int64_t> with_known = run(&stages_);
  return with_known ? *with_known : *run(nullptr);
}

}  // namespace sparkprof
