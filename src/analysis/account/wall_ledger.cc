// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/account/ledgers.h"
#include "analysis/selection/known_parts.h"
#include "analysis/selection/spark_settings.h"
#include "base/saturate.h"
#include "base/text/contains.h"

namespace sparkprof {
namespace {

using Spans = std::vector<std::pair<int64_t, int64_t>>;

// Union of the spans, disjoint and in order of time.
Spans UnionOf(Spans all) {
  std::ranges::sort(all);
  Spans spans;
  for (const auto& [begin_ns, until_ns] : all) {
    if (spans.empty() || begin_ns > spans.back().second) spans.emplace_back(begin_ns, begin_ns);
    spans.back().second = std::max(spans.back().second, until_ns);
  }
  return spans;
}

// Times in which at least one query or batch of a stream ran.
Spans TimesOfQueries(const Application& application, int64_t end_ns) {
  Spans all;
  for (const SqlExecution& sql : application.sql_executions) {
    if (sql.start_ns > 0) all.emplace_back(sql.start_ns, sql.end_ns > 0 ? sql.end_ns : end_ns);
  }
  for (const StreamingBatch& batch : application.streaming_batches) {
    int64_t batch_end_ns = batch.start_ns;
    AddSaturated(batch.duration_ns, &batch_end_ns);
    if (batch.start_ns > 0 && batch_end_ns > batch.start_ns) all.emplace_back(batch.start_ns, batch_end_ns);
  }
  return UnionOf(std::move(all));
}

Spans TimesOfStreams(const Application& application, int64_t end_ns) {
  Spans all;
  for (const StreamingQuery& query : application.streaming_queries) {
    if (query.start_ns > 0) all.emplace_back(query.start_ns, query.end_ns > 0 ? query.end_ns : end_ns);
  }
  return UnionOf(std::move(all));
}

// Whether an application without an executor really waits for one, instead of lacking the log lines.
bool AsksForExecutors(const Application& application) {
  constexpr std::string_view kNoResources = "Initial job has not accepted any resources";
  const std::vector<LogTemplate>& templates = application.logs.templates;
  const bool is_of_cluster = !application.master.empty() && !IsLocal(application);
  return is_of_cluster ||
         std::ranges::any_of(templates, [&](const LogTemplate& one) { return one.text.starts_with(kNoResources); });
}

// Times in which at least one executor existed; always if unknown.
Spans TimesOfExecutors(const Application& application, const SlotTimes& times, const TimeRange& range) {
  Spans all;
  for (size_t row = 0; row < application.executors.size(); ++row) {
    const ExecutorSlots& executor = times.executors[row];
    if (executor.slots > 0 || application.executors[row].id != "driver")
      all.emplace_back(executor.begin_ns, executor.end_ns);
  }
  if (all.empty() && !AsksForExecutors(application)) all.emplace_back(range.start_ns, range.end_ns);
  return UnionOf(std::move(all));
}

// The time in YARN's queue, from the first to the last report of its client that the application is accepted and does
// not run yet; {0, 0} = none.
std::pair<int64_t, int64_t> TimeInQueue(const LogRecords& logs) {
  constexpr std::string_view kReport = "Application report for ", kAccepted = "(state: ACCEPTED)";
  std::vector<bool> is_report;
  for (const LogTemplate& one : logs.templates) is_report.push_back(one.text.starts_with(kReport));
  std::pair<int64_t, int64_t> queue;
  if (!Contains(is_report, true)) return queue;
  for (size_t row = 0; row < logs.Size(); ++row) {
    const int64_t time_ns = logs.time_ns[row];
    if (time_ns <= 0 || !is_report[logs.template_row[row]]) continue;
    if (!Contains(logs.Text(row), kAccepted)) continue;
    if (queue.first == 0) queue.first = time_ns;
    queue.second = time_ns;
  }
  return queue;
}

// Whether the time that ends at `time_ns` is in one of the spans, and since when; 0 = always.
std::pair<bool, int64_t> StateBefore(const Spans& spans, int64_t time_ns) {
  const auto after = std::lower_bound(spans.begin(), spans.end(), time_ns,
                                      [](const auto& span, int64_t value) { return span.first < value; });
  if (after == spans.begin()) return {false, 0};
  const auto& [begin_ns, end_ns] = *std::prev(after);
  return end_ns >= time_ns ? std::pair(true, begin_ns) : std::pair(false, end_ns);
}

// A log of warnings has tasks that failed, and nothing of their jobs.
bool KnowsJobs(const Application& application) {
  const bool is_of_failures = application.logs.Size() > 0 && application.jobs.empty() && application.tasks.Size() > 0 &&
                              application.profile.samples.empty();
  return PartsKnownOf(application).jobs && !is_of_failures;
}

class WallWalk {
 public:
  WallWalk(const Application& application, const SlotTimes& times, const Schedule& schedule, const TaskParts& parts)
      : application_(application),
        times_(times),
        schedule_(schedule),
        parts_(parts),
        knows_jobs_(KnowsJobs(application)),
        queries_(TimesOfQueries(application, schedule.range.end_ns)),
        streams_(TimesOfStreams(application, schedule.range.end_ns)),
        executors_(TimesOfExecutors(application, times, schedule.range)),
        stage_at_row_(application.stages.size(), -1),
        was_in_stage_(schedule.stages.size()),
        was_in_job_(schedule.jobs.size()),
        now_ns_(schedule.range.end_ns) {
    const Tasks& tasks = application.tasks;
    for (size_t task = 0; task < tasks.Size(); ++task) {
      if (tasks.outcome[task] == TaskOutcome::kFailed && tasks.launch_ns[task] > 0)
        failed_.emplace(std::pair(tasks.stage[task], tasks.index[task]), task);
    }
    for (size_t at = 0; at < schedule.stages.size(); ++at)
      stage_at_row_[static_cast<size_t>(schedule.stages[at].row)] = static_cast<int32_t>(at);
    for (uint32_t at = 0; at < schedule.jobs.size(); ++at) {
      const int32_t before = last_to_end_.empty() ? -1 : last_to_end_.back();
      const bool is_last = before < 0 || schedule.jobs[at].end_ns > schedule.jobs[static_cast<size_t>(before)].end_ns;
      // A stage of an unknown job does not show that the driver ran one.
      last_to_end_.push_back(schedule.jobs[at].row >= 0 && is_last ? static_cast<int32_t>(at) : before);
    }
  }

  std::vector<WallEntry> Take() {
    std::optional<uint32_t> job = LastJob();
    while (job && !was_in_job_[*job]) {
      was_in_job_[*job] = true;
      AddDriver(schedule_.jobs[*job].end_ns);
      job = WalkJob(*job);
      job = LastOf(schedule_.jobs[*job].after, [&](uint32_t at) { return schedule_.jobs[at].end_ns; });
      // Not the driver's time: it ran a job in another thread.
      const bool is_gap = !job || schedule_.jobs[*job].end_ns < now_ns_;
      if (const std::optional<uint32_t> running = is_gap ? RunningAt(now_ns_) : std::nullopt) job = running;
    }
    AddDriver(EndOfStartUp());
    // The driver runs but its first executor is missing: Spark waits for it before it runs the program.
    if (const int64_t begin_ns = BeginOfDriver(); begin_ns > 0)
      AddEntry(AccountPart::kExecutorWait, next_stage_, begin_ns);
    const auto [queue_begin_ns, queue_end_ns] = TimeInQueue(application_.logs);
    AddEntry(AccountPart::kStartUp, next_stage_, std::max(queue_end_ns, schedule_.range.start_ns));
    AddEntry(AccountPart::kExecutorWait, next_stage_, std::max(queue_begin_ns, schedule_.range.start_ns));
    AddEntry(AccountPart::kStartUp, next_stage_, schedule_.range.start_ns);
    EndPassage();
    std::ranges::reverse(entries_);
    return std::move(entries_);
  }

 private:
  template <typename EndOf>
  static std::optional<uint32_t> LastOf(const std::vector<uint32_t>& all, EndOf&& end_of) {
    std::optional<uint32_t> last;
    for (const uint32_t one : all) {
      if (!last || end_of(one) > end_of(*last)) last = one;
    }
    return last;
  }

  std::optional<uint32_t> LastJob() const {
    std::optional<uint32_t> last;
    for (uint32_t at = 0; at < schedule_.jobs.size(); ++at) {
      if (!last || schedule_.jobs[at].end_ns > schedule_.jobs[*last].end_ns) last = at;
    }
    return last;
  }

  // A job that ran at this time and is not accounted yet.
  std::optional<uint32_t> RunningAt(int64_t time_ns) const {
    const std::vector<ScheduledJob>& jobs = schedule_.jobs;
    const auto later = std::lower_bound(jobs.begin(), jobs.end(), time_ns,
                                        [](const ScheduledJob& job, int64_t value) { return job.submit_ns < value; });
    if (later == jobs.begin()) return std::nullopt;
    const int32_t last = last_to_end_[static_cast<size_t>(later - jobs.begin()) - 1];
    if (last < 0) return std::nullopt;
    const auto job = static_cast<uint32_t>(last);
    return !was_in_job_[job] && jobs[job].end_ns > time_ns ? std::optional(job) : std::nullopt;
  }

  // Time when a cluster's driver was ready for executors; 0 = unknown, or none are needed.
  int64_t BeginOfDriver() const {
    for (size_t row = 0; row < application_.executors.size(); ++row) {
      const Executor& executor = application_.executors[row];
      if (executor.id == "driver" && executor.add_ns > 0 && times_.executors[row].slots == 0)
        return times_.executors[row].begin_ns;
    }
    return 0;
  }

  // The first executor; if Spark requests executors for tasks, the driver's own block manager.
  int64_t EndOfStartUp() const {
    std::optional<int64_t> first_ns, driver_ns;
    for (size_t row = 0; row < application_.executors.size(); ++row) {
      const int64_t begin_ns = times_.executors[row].begin_ns;
      if (application_.executors[row].id == "driver") driver_ns = begin_ns;
      if (times_.executors[row].slots > 0) first_ns = std::min(begin_ns, first_ns.value_or(begin_ns));
    }
    const bool is_before_jobs = first_ns && (schedule_.jobs.empty() || *first_ns <= schedule_.jobs.front().submit_ns);
    return (is_before_jobs ? first_ns : driver_ns).value_or(schedule_.range.start_ns);
  }

  // Walks from the end of a job to the submission of a job: the same, or the one whose tasks had held the slots.
  uint32_t WalkJob(uint32_t job) {
    std::optional<uint32_t> stage =
        LastOf(schedule_.jobs[job].stages, [&](uint32_t at) { return schedule_.stages[at].done_ns; });
    while (stage && !was_in_stage_[*stage]) {
      was_in_stage_[*stage] = true;
      AddInJob(schedule_.stages[*stage].done_ns);
      const uint32_t begun = WalkTasks(*stage);
      job = schedule_.stages[begun].job;
      stage = LastOf(schedule_.stages[begun].after, [&](uint32_t at) { return schedule_.stages[at].done_ns; });
      if (stage && schedule_.stages[*stage].done_ns < schedule_.jobs[job].submit_ns) stage.reset();
    }
    AddInJob(schedule_.jobs[job].submit_ns);
    return job;
  }

  // How much a stage can shrink before another of its slots, or another stage that the next one waits for, ends last.
  int64_t SlackOf(const ScheduledStage& stage) const {
    int64_t slack_ns = stage.done_ns - stage.second_ns;
    const int32_t next = next_stage_ < 0 ? -1 : stage_at_row_[static_cast<size_t>(next_stage_)];
    if (next < 0) return slack_ns;
    for (const uint32_t at : schedule_.stages[static_cast<size_t>(next)].after) {
      const ScheduledStage& other = schedule_.stages[at];
      if (&other != &stage && other.done_ns <= stage.done_ns)
        slack_ns = std::min(slack_ns, stage.done_ns - other.done_ns);
    }
    return slack_ns;
  }

  // The task that ended last of those that this one waited for: the one before in its slot, or an attempt that failed.
  // -1 = none.
  int32_t Before(size_t task) const {
    const Tasks& tasks = application_.tasks;
    int32_t before = times_.before[task];
    if (tasks.attempt[task] == 0) return before;
    const auto [begin, end] = failed_.equal_range({tasks.stage[task], tasks.index[task]});
    for (auto failed = begin; failed != end; ++failed) {
      const size_t other = failed->second;
      // Strictly earlier, so that tasks of unknown length make no circle.
      const bool is_earlier = tasks.attempt[other] < tasks.attempt[task] &&
                              times_.begin_ns[other] < times_.begin_ns[task] &&
                              times_.end_ns[other] <= times_.begin_ns[task];
      if (is_earlier && (before < 0 || times_.end_ns[other] > times_.end_ns[static_cast<size_t>(before)]))
        before = static_cast<int32_t>(other);
    }
    return before;
  }

  // Walks from the last task of a stage to the submission of a stage: the same, or one whose tasks had held the slot.
  uint32_t WalkTasks(uint32_t stage) {
    slack_ns_ = SlackOf(schedule_.stages[stage]);
    auto task = static_cast<size_t>(schedule_.stages[stage].last_task);
    for (;;) {
      AddTask(task, stage);
      const int64_t submit_ns = schedule_.stages[stage].submit_ns;
      const int32_t before = Before(task);
      const int32_t row = before < 0 ? -1 : application_.tasks.stage[static_cast<size_t>(before)];
      if (row < 0 || times_.end_ns[static_cast<size_t>(before)] <= submit_ns) {
        AddWait(task, stage);
        return stage;
      }
      AddToPassage(AccountPart::kDispatch, stage, times_.end_ns[static_cast<size_t>(before)]);
      task = static_cast<size_t>(before);
      stage = static_cast<uint32_t>(stage_at_row_[static_cast<size_t>(row)]);
    }
  }

  // Walks from the start of a task to the submission of its stage.
  void AddWait(size_t task, uint32_t stage) {
    const int32_t executor = application_.tasks.executor[task];
    const int64_t added_ns = executor < 0 ? 0 : times_.executors[static_cast<size_t>(executor)].begin_ns;
    const int64_t submit_ns = schedule_.stages[stage].submit_ns;
    AddToPassage(AccountPart::kDispatch, stage, std::max(added_ns, submit_ns));
    AddToPassage(AccountPart::kExecutorWait, stage, submit_ns);
    next_stage_ = schedule_.stages[stage].row;
  }

  void AddTask(size_t task, uint32_t stage) {
    const int64_t begin_ns = std::min(times_.begin_ns[task], now_ns_);
    BeginPassage(stage);
    // The rest of a task that its stage did not wait for is not on the chain.
    passage_.Add(PartOf(parts_.Of(task), now_ns_ - begin_ns), 1);
    now_ns_ = begin_ns;
  }

  void AddToPassage(AccountPart part, uint32_t stage, int64_t begin_ns) {
    BeginPassage(stage);
    const int64_t ns = std::max<int64_t>(0, now_ns_ - begin_ns);
    passage_.ns[static_cast<size_t>(part)] += ns;
    now_ns_ -= ns;
  }

  void BeginPassage(uint32_t stage) {
    const int32_t row = schedule_.stages[stage].row;
    if (row == passage_stage_) return;
    EndPassage();
    passage_stage_ = row;
  }

  void EndPassage() {
    if (passage_stage_ < 0) return;
    int64_t begin_ns = now_ns_;
    std::vector<WallEntry> passage;
    for (const AccountEntry& entry : parts_.EntriesOf(passage_, passage_stage_)) {
      passage.push_back({entry, begin_ns, slack_ns_});
      begin_ns += entry.ns;
    }
    entries_.insert(entries_.end(), passage.rbegin(), passage.rend());
    passage_ = {};
    passage_stage_ = -1;
  }

  void AddEntry(AccountPart part, int32_t stage, int64_t begin_ns) {
    EndPassage();
    const int64_t ns = now_ns_ - std::min(begin_ns, now_ns_);
    if (ns == 0) return;
    now_ns_ -= ns;
    entries_.push_back({{part, stage, ns, ns, ns, {}}, now_ns_, ns});
  }

  void AddInJob(int64_t begin_ns) {
    while (now_ns_ > begin_ns) {
      const auto [has_executor, since_ns] = StateBefore(executors_, now_ns_);
      AddEntry(has_executor ? AccountPart::kDriverJob : AccountPart::kExecutorWait, next_stage_,
               std::max(begin_ns, since_ns));
    }
  }

  // Outside of jobs.
  void AddDriver(int64_t begin_ns) {
    while (now_ns_ > begin_ns) {
      const auto [in_query, query_ns] = StateBefore(queries_, now_ns_);
      const auto [in_stream, stream_ns] = StateBefore(streams_, now_ns_);
      AddEntry(!knows_jobs_ ? AccountPart::kUnknown
               : in_query   ? AccountPart::kDriverQuery
               : in_stream  ? AccountPart::kStreamPause
                            : AccountPart::kDriverProgram,
               next_stage_, std::max({begin_ns, query_ns, stream_ns}));
    }
  }

  const Application& application_;
  const SlotTimes& times_;
  const Schedule& schedule_;
  const TaskParts& parts_;
  const bool knows_jobs_;
  const Spans queries_, streams_, executors_;
  std::vector<int32_t> stage_at_row_;  // index in the schedule; -1 = did not run
  std::vector<bool> was_in_stage_, was_in_job_;
  // By job: the one that ends last among it and the jobs submitted before it; -1 = none.
  std::vector<int32_t> last_to_end_;
  std::multimap<std::pair<int32_t, int32_t>, size_t> failed_;  // tasks that failed, by stage row and index

  int64_t now_ns_;              // everything after this time is accounted for
  int32_t next_stage_ = -1;     // row of the next stage
  int32_t passage_stage_ = -1;  // stage row; -1 = not in a passage
  int64_t slack_ns_ = 0;        // slack of the passage
  AttemptTime passage_;
  std::vector<WallEntry> entries_;  // last one first
};

}  // namespace

std::vector<WallEntry> WallLedger(const Application& application, const SlotTimes& times, const Schedule& schedule,
                                  const TaskParts& parts) {
  return WallWalk(application, times, schedule, parts).Take();
}

}  // namespace sparkprof
