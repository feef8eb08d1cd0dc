// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "analysis/account/ledgers.h"
#include "analysis/selection/known_parts.h"
#include "analysis/selection/time_range.h"
#include "base/saturate.h"
#include "base/share.h"

namespace sparkprof {
namespace {

enum class Change : uint8_t { kExecutor, kJob, kQuery, kStream, kStage };

struct Moment {
  int64_t time_ns = 0;
  Change change = Change::kJob;
  bool begins = false;
  size_t row = 0;
};

// Splits `whole` exactly in proportion to weights.
std::vector<int64_t> Apportion(int64_t whole, const std::vector<double>& weights) {
  double sum = 0, before = 0;
  for (const double weight : weights) sum += weight;
  std::vector<int64_t> parts(weights.size());
  int64_t given = 0;
  for (size_t row = 0; row < weights.size(); ++row) {
    before += weights[row];
    const int64_t until = sum <= 0 ? 0 : Scaled(whole, before / sum);
    parts[row] = std::clamp<int64_t>(until - given, 0, whole - given);
    given += parts[row];
  }
  if (given < whole && !parts.empty()) {
    parts[static_cast<size_t>(std::ranges::max_element(weights) - weights.begin())] += whole - given;
  }
  return parts;
}

// Sweeps over the application's time and accounts for idle slots.
class IdleSweep {
 public:
  // `booked` has one entry per stage, after one for no stage.
  IdleSweep(const Application& application, const SlotTimes& times, std::vector<AttemptTime>* booked)
      : application_(application),
        times_(times),
        range_(RangeOf(application)),
        knows_jobs_(PartsKnownOf(application).jobs),
        now_ns_(range_.start_ns),
        stages_(application.stages.size()),
        booked_(booked) {}

  void Book() {
    const std::vector<Moment> moments = Moments();
    const std::vector<uint32_t> begins = RowsByTime(times_.begin_ns), ends = RowsByTime(times_.end_ns);
    size_t moment = 0, begin = 0, end = 0;
    const auto has_slot = [&](uint32_t task) { return times_.slot[task] >= 0; };
    while (moment < moments.size() || end < ends.size()) {
      // No attempt ends before it starts.
      const int64_t begin_ns = begin < begins.size() ? times_.begin_ns[begins[begin]] : INT64_MAX;
      const int64_t end_ns = end < ends.size() ? times_.end_ns[ends[end]] : INT64_MAX;
      const int64_t moment_ns = moment < moments.size() ? moments[moment].time_ns : INT64_MAX;
      const int64_t time_ns = std::min({begin_ns, end_ns, moment_ns});
      AdvanceTo(time_ns);
      for (; end < ends.size() && times_.end_ns[ends[end]] == time_ns; ++end) {
        if (has_slot(ends[end])) AddEnd(ends[end]);
      }
      for (; moment < moments.size() && moments[moment].time_ns == time_ns; ++moment) Add(moments[moment]);
      for (; begin < begins.size() && times_.begin_ns[begins[begin]] == time_ns; ++begin) {
        if (has_slot(begins[begin])) AddBegin(begins[begin]);
      }
    }
    AdvanceTo(range_.end_ns);
    BookDriver(-1);
    Book(AccountPart::kDispatch, -1, &dispatch_ns_);
    Book(AccountPart::kUnusedCores, -1, &unused_ns_);
    BookTails();
  }

 private:
  struct StageState {
    bool is_active = false;
    int64_t pending = 0;  // tasks not started yet
    int64_t running = 0;
    int64_t tasks = 0;
    double busy_ns = 0;                       // busy time of its slots
    int64_t first_ns = 0, last_ns = 0;        // start of its first task and end of its last one
    double first_slots_ns = 0, slots_ns = 0;  // time of all slots since the application's start, at these times
    double tail_since = 0, tail_ns = 0;       // value of `tail_per_task_` up to which `tail_ns` is complete
  };

  std::vector<Moment> Moments() const {
    std::vector<Moment> moments;
    const auto add = [&](Change change, int64_t begin_ns, int64_t end_ns, size_t row) {
      if (begin_ns <= 0) return;
      begin_ns = std::clamp(begin_ns, range_.start_ns, range_.end_ns);
      moments.push_back({begin_ns, change, true, row});
      moments.push_back({std::clamp(end_ns > 0 ? end_ns : range_.end_ns, begin_ns, range_.end_ns), change, false, row});
    };
    for (size_t row = 0; row < times_.executors.size(); ++row) {
      const ExecutorSlots& executor = times_.executors[row];
      if (executor.cores > 0) add(Change::kExecutor, executor.begin_ns, executor.end_ns, row);
    }
    for (const Job& job : application_.jobs) add(Change::kJob, job.submit_ns, job.end_ns, 0);
    for (const SqlExecution& sql : application_.sql_executions) add(Change::kQuery, sql.start_ns, sql.end_ns, 0);
    for (const StreamingQuery& stream : application_.streaming_queries)
      add(Change::kStream, stream.start_ns, stream.end_ns, 0);
    // A finished batch is a query without jobs at its start and its end.
    for (const StreamingBatch& batch : application_.streaming_batches) {
      int64_t end_ns = batch.start_ns;
      AddSaturated(batch.duration_ns, &end_ns);
      if (end_ns > batch.start_ns) add(Change::kQuery, batch.start_ns, end_ns, 0);
    }
    for (size_t row = 0; row < stages_.size(); ++row) {
      const Stage& stage = application_.stages[row];
      add(Change::kStage, stage.submit_ns, stage.end_ns, row);
    }
    std::ranges::stable_sort(moments, {}, &Moment::time_ns);
    return moments;
  }

  void AdvanceTo(int64_t time_ns) {
    const int64_t passed_ns = std::min(time_ns, range_.end_ns) - now_ns_;
    if (passed_ns <= 0) return;
    now_ns_ += passed_ns;
    slots_ns_ += static_cast<double>(slots_) * static_cast<double>(passed_ns);
    unused_ns_ += unused_cores_ * passed_ns;
    const int64_t idle_ns = (cores_ - busy_cores_) * passed_ns;
    if (pending_ > 0) {
      dispatch_ns_ += idle_ns;
    } else if (running_ > 0) {
      all_tails_ns_ += idle_ns;
      tail_per_task_ += static_cast<double>(idle_ns) / static_cast<double>(running_);
    } else {
      const AccountPart part = !knows_jobs_   ? AccountPart::kUnknown
                               : jobs_ > 0    ? AccountPart::kDriverJob
                               : queries_ > 0 ? AccountPart::kDriverQuery
                               : streams_ > 0 ? AccountPart::kStreamPause
                                              : AccountPart::kDriverProgram;
      driver_ns_[static_cast<size_t>(part)] += idle_ns;
    }
  }

  void Add(const Moment& moment) {
    const int64_t sign = moment.begins ? 1 : -1;
    switch (moment.change) {
      case Change::kExecutor: {
        const ExecutorSlots& executor = times_.executors[moment.row];
        slots_ += sign * executor.slots;
        cores_ += sign * executor.slots * executor.cpus;
        unused_cores_ += sign * executor.UnusedCores();
        break;
      }
      case Change::kJob:
        jobs_ += sign;
        break;
      case Change::kQuery:
        queries_ += sign;
        break;
      case Change::kStream:
        streams_ += sign;
        break;
      case Change::kStage: {
        StageState& stage = stages_[moment.row];
        stage.is_active = moment.begins;
        if (moment.begins) BookDriver(static_cast<int32_t>(moment.row));
        const int64_t started = moment.begins ? stage.tasks : application_.stages[moment.row].task_count;
        SetPending(application_.stages[moment.row].task_count - started, &stage);
        break;
      }
    }
  }

  // Attempts of lost tasks may exceed the stage's number of tasks.
  void SetPending(int64_t pending, StageState* stage) {
    pending_ += std::max<int64_t>(0, pending) - std::max<int64_t>(0, stage->pending);
    stage->pending = pending;
  }

  void ChangeRunning(uint32_t task, int64_t change) {
    running_ += change;
    const int32_t executor = application_.tasks.executor[task];
    if (executor >= 0) busy_cores_ += change * times_.executors[static_cast<size_t>(executor)].cpus;
    if (StageState* const stage = StageOf(task)) {
      stage->tail_ns += (tail_per_task_ - stage->tail_since) * static_cast<double>(stage->running);
      stage->tail_since = tail_per_task_;
      stage->running += change;
    }
  }

  void AddBegin(uint32_t task) {
    const int32_t row = application_.tasks.stage[task];
    BookDriver(row);
    Book(AccountPart::kDispatch, row, &dispatch_ns_);
    ChangeRunning(task, 1);
    StageState* const stage = StageOf(task);
    if (stage == nullptr) return;
    if (stage->tasks++ == 0) {
      stage->first_ns = now_ns_;
      stage->first_slots_ns = slots_ns_;
    }
    stage->busy_ns += static_cast<double>(times_.end_ns[task] - times_.begin_ns[task]);
    if (stage->is_active && application_.tasks.speculative[task] == 0) SetPending(stage->pending - 1, stage);
  }

  void AddEnd(uint32_t task) {
    ChangeRunning(task, -1);
    StageState* const stage = StageOf(task);
    if (stage == nullptr) return;
    stage->last_ns = now_ns_;
    stage->slots_ns = slots_ns_;
    const bool runs_again =
        application_.tasks.outcome[task] == TaskOutcome::kFailed && application_.tasks.speculative[task] == 0;
    if (stage->is_active && runs_again) SetPending(stage->pending + 1, stage);
  }

  StageState* StageOf(uint32_t task) {
    const int32_t row = application_.tasks.stage[task];
    return row < 0 ? nullptr : &stages_[static_cast<size_t>(row)];
  }

  void Book(AccountPart part, int32_t stage, int64_t* ns) {
    (*booked_)[static_cast<size_t>(stage + 1)].ns[static_cast<size_t>(part)] += std::exchange(*ns, 0);
  }

  void BookDriver(int32_t stage) {
    for (const AccountPart part : {AccountPart::kDriverProgram, AccountPart::kStreamPause, AccountPart::kDriverQuery,
                                   AccountPart::kDriverJob, AccountPart::kUnknown})
      Book(part, stage, &driver_ns_[static_cast<size_t>(part)]);
  }

  // Accounts for slots idle while the last tasks of stages ran: a wave remains with any number of partitions; skew
  // would disappear with tasks of equal length.
  void BookTails() {
    std::vector<double> weights;
    for (const StageState& stage : stages_) weights.push_back(stage.tail_ns);
    const bool is_known = std::ranges::any_of(weights, [](double weight) { return weight > 0; });
    if (!is_known) return Book(AccountPart::kWave, -1, &all_tails_ns_);
    const std::vector<int64_t> tails_ns = Apportion(all_tails_ns_, weights);
    for (size_t row = 0; row < tails_ns.size(); ++row) {
      if (tails_ns[row] == 0) continue;
      const StageState& stage = stages_[row];
      const double mean_ns = stage.busy_ns / static_cast<double>(stage.tasks);
      const double waves_ns = RoomOf(stage) * mean_ns;
      const double wave_ns = std::max(0.0, waves_ns - stage.busy_ns);
      const double skew_ns = std::max(0.0, stage.slots_ns - stage.first_slots_ns - waves_ns);
      const double of_skew = skew_ns <= 0 ? 0 : skew_ns / (wave_ns + skew_ns);
      int64_t in_skew_ns = Scaled(tails_ns[row], of_skew);
      int64_t in_wave_ns = tails_ns[row] - in_skew_ns;
      Book(AccountPart::kWave, static_cast<int32_t>(row), &in_wave_ns);
      Book(AccountPart::kSkew, static_cast<int32_t>(row), &in_skew_ns);
    }
  }

  // Number of tasks that fit into the stage's waves.
  static double RoomOf(const StageState& stage) {
    const auto duration_ns = static_cast<double>(stage.last_ns - stage.first_ns);
    if (duration_ns <= 0) return static_cast<double>(stage.tasks);
    const double slots = std::max(1.0, std::round((stage.slots_ns - stage.first_slots_ns) / duration_ns));
    return slots * std::ceil(static_cast<double>(stage.tasks) / slots);
  }

  const Application& application_;
  const SlotTimes& times_;
  const TimeRange range_;
  const bool knows_jobs_;
  int64_t now_ns_;
  int64_t slots_ = 0, cores_ = 0, unused_cores_ = 0, busy_cores_ = 0;
  int64_t running_ = 0, pending_ = 0, jobs_ = 0, queries_ = 0, streams_ = 0;
  double slots_ns_ = 0, tail_per_task_ = 0;
  int64_t all_tails_ns_ = 0, dispatch_ns_ = 0, unused_ns_ = 0;
  PartTimes driver_ns_{};
  std::vector<StageState> stages_;
  std::vector<AttemptTime>* const booked_;
};

}  // namespace

std::optional<CoreLedger> CoreLedgerOf(const Application& application, const SlotTimes& times, const TaskParts& parts) {
  if (!times.has_cores) return std::nullopt;
  CoreLedger ledger;
  for (const ExecutorSlots& executor : times.executors) {
    int64_t core_ns = 0;
    const bool is_impossible = __builtin_mul_overflow(executor.cores, executor.end_ns - executor.begin_ns, &core_ns) ||
                               __builtin_add_overflow(ledger.budget_ns, core_ns, &ledger.budget_ns);
    if (is_impossible) return std::nullopt;
  }
  std::vector<AttemptTime> booked(application.stages.size() + 1);
  const Tasks& tasks = application.tasks;
  for (size_t task = 0; task < tasks.Size(); ++task) {
    if (times.slot[task] < 0) continue;
    booked[static_cast<size_t>(tasks.stage[task] + 1)].Add(
        parts.Of(task), times.executors[static_cast<size_t>(tasks.executor[task])].cpus);
  }
  IdleSweep(application, times, &booked).Book();
  for (size_t row = 0; row < booked.size(); ++row) {
    std::vector<AccountEntry> entries = parts.EntriesOf(booked[row], static_cast<int32_t>(row) - 1);
    std::move(entries.begin(), entries.end(), std::back_inserter(ledger.entries));
  }
  return ledger;
}

}  // namespace sparkprof
