// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>

#include "base/redaction/redaction.h"
#include "base/saturate.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "history/replay.h"
#include "history/scala_order.h"

namespace sparkprof {
namespace {

std::optional<int64_t> TimeAt(const simdjson::dom::object& object, std::string_view key) {
  simdjson::dom::element value;
  if (!Find(object, key, &value)) return std::nullopt;
  return CountOf(value, 0);
}

std::optional<std::string> PropertyAt(const simdjson::dom::object& event, std::string_view key) {
  simdjson::dom::object properties;
  simdjson::dom::element value;
  if (!ObjectAt(event, "Properties", &properties) || !Find(properties, key, &value)) return std::nullopt;
  return RedactText(TextOf(value));
}

// The user's accumulators, in the order of the hash map in which Spark keeps all of them.
std::vector<Accumulable> ReadStageAccumulables(const simdjson::dom::object& info, StringTable* strings) {
  std::vector<Accumulable> accumulables;
  simdjson::dom::array array;
  if (!ArrayAt(info, "Accumulables", &array)) return accumulables;
  std::vector<int32_t> hashes;
  std::vector<std::optional<Accumulable>> all;
  for (const simdjson::dom::element element : array) {
    simdjson::dom::object object;
    if (element.get_object().get(object) != simdjson::SUCCESS) continue;
    hashes.push_back(ScalaHash(CountAt(object, "ID", -1)));
    all.push_back(ReadAccumulable(object, strings));
  }
  for (const size_t position : ScalaMutableMapOrder(hashes)) {
    if (all[position]) accumulables.push_back(*all[position]);
  }
  return accumulables;
}

std::vector<int64_t> ReadRddIds(const simdjson::dom::object& info) {
  std::vector<int64_t> ids;
  simdjson::dom::array rdds;
  if (!ArrayAt(info, "RDD Info", &rdds)) return ids;
  for (const simdjson::dom::element element : rdds) {
    simdjson::dom::object rdd;
    if (element.get_object().get(rdd) == simdjson::SUCCESS) ids.push_back(CountAt(rdd, "RDD ID", -1));
  }
  return ids;
}

StageInfo ReadStageInfo(const simdjson::dom::object& object, StringTable* strings) {
  StageInfo info;
  info.id = CountAt(object, "Stage ID", -1);
  info.attempt = CountAt(object, "Stage Attempt ID", 0);
  info.name = strings->Intern(RedactText(TextAt(object, "Stage Name")));
  info.details = strings->Intern(RedactText(TextAt(object, "Details")));
  info.tasks = CountAt(object, "Number of Tasks", 0);
  info.submission_ms = TimeAt(object, "Submission Time");
  info.completion_ms = TimeAt(object, "Completion Time");
  simdjson::dom::element failure;
  if (Find(object, "Failure Reason", &failure)) info.failure = RedactText(TextOf(failure));
  info.rdd_ids = ReadRddIds(object);
  info.accumulables = ReadStageAccumulables(object, strings);
  info.resource_profile = CountAt(object, "Resource Profile Id", 0);
  info.is_push_enabled = BooleanAt(object, "Shuffle Push Enabled");
  info.mergers = CountAt(object, "Shuffle Push Mergers Count", 0);
  return info;
}

// The stages in a job start event; before Spark 1.2 it has only their IDs.
std::vector<StageInfo> ReadStagesOfJob(const simdjson::dom::object& event, StringTable* strings) {
  std::vector<StageInfo> infos;
  simdjson::dom::array array;
  if (ArrayAt(event, "Stage Infos", &array)) {
    for (const simdjson::dom::element element : array) {
      simdjson::dom::object object;
      if (element.get_object().get(object) == simdjson::SUCCESS) infos.push_back(ReadStageInfo(object, strings));
    }
  } else if (ArrayAt(event, "Stage IDs", &array)) {
    for (const simdjson::dom::element element : array) {
      StageInfo& info = infos.emplace_back();
      info.id = CountOf(element, -1);
      info.name = info.details = strings->Intern("unknown");
    }
  }
  return infos;
}

// A stage that is not running restarts, even if it ran before: a later job may need it again. Its tasks and executors
// stay.
LiveStage& GetOrCreateStage(StageInfo info, Replay* replay) {
  const StageKey key(info.id, info.attempt);
  const auto [place, is_new] = replay->stages.try_emplace(key);
  LiveStage& live = place->second;
  HistoryStage& stage = replay->history->stages[key];
  if (is_new) {
    HistoryStage fresh;
    fresh.tasks = std::move(stage.tasks);
    fresh.executors = std::move(stage.executors);
    fresh.speculation = stage.speculation;
    stage = std::move(fresh);
    stage.is_known = true;
    for (size_t row = 0; row < stage.executors.size(); ++row) live.executor_rows[stage.executors[row].executor] = row;
    live.stage = &stage;
  }
  stage.info = std::move(info);
  return live;
}

std::vector<std::string> ReadTags(const std::optional<std::string>& text) {
  std::set<std::string> tags;
  if (!text) return {};
  for (const std::string_view tag : Split(*text, ',')) {
    if (!tag.empty()) tags.emplace(tag);
  }
  return {tags.begin(), tags.end()};
}

void Show(const LiveJob& job, Replay* replay) {
  HistoryJob& shown = replay->history->jobs[job.data.id];
  shown = job.data;
  shown.completed_indices = static_cast<int64_t>(job.completed.size());
}

std::optional<int64_t> PositiveTime(int64_t time_ms) {
  return time_ms > 0 ? std::optional<int64_t>(time_ms) : std::nullopt;
}

bool HasStage(const HistoryJob& job, int64_t stage) {
  return std::find(job.stage_ids.begin(), job.stage_ids.end(), stage) != job.stage_ids.end();
}

void CountKilled(const std::string& reason, KilledSummary* summary) {
  const auto found =
      std::find_if(summary->begin(), summary->end(), [&](const auto& row) { return row.first == reason; });
  if (found == summary->end()) {
    summary->emplace_back(reason, 1);
  } else {
    ++found->second;
  }
}

void Add(const HistoryTaskValues& values, HistoryTaskValues* sums) {
  for (size_t value = 0; value < kSparkTaskMetricCount; ++value)
    AddSaturated(values.numbers[value], &sums->numbers[value]);
}

uint32_t FillTask(const TaskEvent& event, uint32_t row, Replay* replay) {
  TaskColumns& tasks = replay->history->tasks;
  tasks.id[row] = event.id;
  tasks.index[row] = event.index;
  tasks.attempt[row] = event.attempt;
  tasks.partition[row] = event.partition;
  tasks.launch_ms[row] = event.launch_ms;
  tasks.result_fetch_ms[row] = event.getting_result_ms;
  tasks.duration_ms[row] = event.finish_ms != 0 ? event.finish_ms - event.launch_ms : 0;
  tasks.executor[row] = event.executor;
  tasks.host[row] = event.host;
  tasks.locality[row] = event.locality;
  tasks.speculative[row] = event.speculative ? 1 : 0;
  tasks.status[row] = event.Status();
  if (!event.accumulables.empty()) tasks.accumulables[row] = event.accumulables;
  return row;
}

void ReplayTaskStart(const TaskEvent& event, Replay* replay) {
  const StageKey key(event.stage, event.stage_attempt);
  const uint32_t row = FillTask(event, replay->history->tasks.AddRow(), replay);
  replay->tasks[event.id] = row;
  HistoryStage& shown = replay->history->stages[key];
  shown.info.id = event.stage;
  shown.info.attempt = event.stage_attempt;
  shown.tasks.push_back(row);
  const auto live = replay->stages.find(key);
  if (live != replay->stages.end()) {
    HistoryStage& stage = *live->second.stage;
    if (event.speculative) {
      if (!std::exchange(live->second.has_speculation, true)) stage.speculation.emplace();
      ++stage.speculation->tasks;
      ++stage.speculation->active_tasks;
    }
    ++stage.active_tasks;
    stage.first_launch_ms = std::min(stage.first_launch_ms.value_or(event.launch_ms), event.launch_ms);
    for (const std::shared_ptr<LiveJob>& job : live->second.jobs) ++job->data.active_tasks;
  }
  if (HistoryExecutor* const executor = replay->LiveExecutor(replay->history->strings.Get(event.executor))) {
    ++executor->active_tasks;
    ++executor->total_tasks;
  }
}

struct TaskCounts {
  int64_t completed = 0;
  int64_t failed = 0;
  int64_t killed = 0;
  int64_t active = 1;  // 0 for a resubmitted task, which ended before
};

TaskCounts CountsOf(TaskEndKind end) {
  switch (end) {
    case TaskEndKind::kSuccess:
      return {.completed = 1};
    case TaskEndKind::kKilled:
      return {.killed = 1};
    case TaskEndKind::kResubmitted:
      return {.failed = 1, .active = 0};
    case TaskEndKind::kFailed:
      break;
  }
  return {.failed = 1};
}

void CountInJob(const TaskEvent& event, const TaskCounts& counts, const std::string& reason, LiveJob* job) {
  job->data.active_tasks -= counts.active;
  job->data.completed_tasks += counts.completed;
  job->data.failed_tasks += counts.failed;
  job->data.killed_tasks += counts.killed;
  if (counts.completed > 0) {
    job->completed.insert(static_cast<uint64_t>(event.stage) << 32 | static_cast<uint32_t>(event.index));
  }
  if (event.counts_as_kill) CountKilled(reason, &job->data.killed_summary);
}

// `values` is null if the log lacks the task's start.
void CountInStage(const TaskEvent& event, const TaskCounts& counts, const HistoryTaskValues* values, Replay* replay,
                  LiveStage* live) {
  HistoryStage& stage = *live->stage;
  const std::string reason(replay->history->strings.Get(event.error));
  if (values != nullptr) Add(*values, &stage.sums);
  stage.active_tasks -= counts.active;
  stage.completed_tasks += counts.completed;
  stage.failed_tasks += counts.failed;
  stage.killed_tasks += counts.killed;
  if (counts.completed > 0) live->completed.insert(event.index);
  stage.completed_indices = static_cast<int64_t>(live->completed.size());
  if (event.counts_as_kill) CountKilled(reason, &stage.killed_summary);
  stage.peaks.Update(event.peaks);

  const bool is_over =
      stage.active_tasks == 0 && (stage.status == StageStatus::kComplete || stage.status == StageStatus::kFailed);
  for (const std::shared_ptr<LiveJob>& job : live->jobs) {
    CountInJob(event, counts, reason, job.get());
    if (is_over) Show(*job, replay);
  }

  ExecutorStageSummary& summary = SummaryOf(event.executor, live);
  summary.peaks.Update(event.peaks);
  AddSaturated(event.finish_ms - event.launch_ms, &summary.task_time_ms);
  summary.succeeded_tasks += counts.completed;
  summary.failed_tasks += counts.failed;
  summary.killed_tasks += counts.killed;
  if (values != nullptr) Add(*values, &summary.sums);

  if (event.speculative) {
    if (!std::exchange(live->has_speculation, true)) stage.speculation.emplace();
    --stage.speculation->active_tasks;
    stage.speculation->completed_tasks += counts.completed;
    stage.speculation->failed_tasks += counts.failed;
    stage.speculation->killed_tasks += counts.killed;
  }
  if (is_over) replay->stages.erase(StageKey(event.stage, event.stage_attempt));
}

void CountInExecutor(const TaskEvent& event, const TaskCounts& counts, HistoryExecutor* executor) {
  executor->active_tasks -= counts.active;
  executor->completed_tasks += counts.completed;
  executor->failed_tasks += counts.failed;
  AddSaturated(event.finish_ms - event.launch_ms, &executor->total_duration_ms);
  executor->peaks.Update(event.peaks);
  if (event.end == TaskEndKind::kResubmitted) return;
  AddSaturated(event.values[SparkTaskMetric::kGcTime], &executor->total_gc_time_ms);
  AddSaturated(event.values[SparkTaskMetric::kInputBytes], &executor->total_input_bytes);
  AddSaturated(event.values[SparkTaskMetric::kLocalBytes], &executor->total_shuffle_read);
  AddSaturated(event.values[SparkTaskMetric::kRemoteBytes], &executor->total_shuffle_read);
  AddSaturated(event.values[SparkTaskMetric::kWriteBytes], &executor->total_shuffle_write);
}

void ReplayTaskEnd(const TaskEvent& event, Replay* replay) {
  ReplaySqlTaskEnd(event, replay);
  const auto started = replay->tasks.find(event.id);
  const HistoryTaskValues* values = nullptr;
  if (started != replay->tasks.end()) {
    const uint32_t row = FillTask(event, started->second, replay);
    replay->history->tasks.error[row] = event.error;
    replay->history->tasks.SetValues(row, event.values);
    values = &event.values;
    replay->tasks.erase(started);
  }
  const TaskCounts counts = CountsOf(event.end);
  const auto live = replay->stages.find(StageKey(event.stage, event.stage_attempt));
  if (live != replay->stages.end()) CountInStage(event, counts, values, replay, &live->second);
  if (HistoryExecutor* const executor = replay->LiveExecutor(replay->history->strings.Get(event.executor))) {
    CountInExecutor(event, counts, executor);
  }
}

}  // namespace

void ReplayTask(const TaskEvent& event, Replay* replay) {
  if (event.kind == TaskEventKind::kStart) {
    ReplayTaskStart(event, replay);
  } else {
    ReplayTaskEnd(event, replay);
  }
}

ExecutorStageSummary& SummaryOf(StringId executor, LiveStage* live) {
  std::vector<ExecutorStageSummary>& summaries = live->stage->executors;
  const auto [row, is_new] = live->executors.try_emplace(executor, 0);
  if (is_new) {
    const auto [any_row, never_seen] = live->executor_rows.try_emplace(executor, summaries.size());
    if (never_seen) summaries.emplace_back();
    row->second = any_row->second;
    summaries[row->second] = {};
    summaries[row->second].executor = executor;
  }
  return summaries[row->second];
}

bool ReplayJobStart(const simdjson::dom::object& event, Replay* replay) {
  const auto job = std::make_shared<LiveJob>();
  HistoryJob& data = job->data;
  data.id = CountAt(event, "Job ID", -1);
  if (data.id < 0) return false;
  std::vector<StageInfo> stages = ReadStagesOfJob(event, &replay->history->strings);
  int64_t last_stage = -1;
  for (const StageInfo& stage : stages) {
    data.stage_ids.push_back(stage.id);
    if (!stage.completion_ms) AddSaturated(stage.tasks, &data.tasks);
    if (stage.id < last_stage) continue;
    last_stage = stage.id;
    data.name = replay->history->strings.Get(stage.name);
  }
  data.description = PropertyAt(event, "spark.job.description");
  data.group = PropertyAt(event, "spark.jobGroup.id");
  data.tags = ReadTags(PropertyAt(event, "spark.job.tags"));
  data.submission_ms = PositiveTime(CountAt(event, "Submission Time", -1));
  replay->jobs[data.id] = job;
  ReplayConnectJob(data.tags, data.id, replay);
  const std::optional<std::string> execution = PropertyAt(event, "spark.sql.execution.id");
  if (execution) ReplaySqlJobStart(data, stages, ParseInteger(*execution).value_or(-1), replay);
  for (StageInfo& stage : stages) GetOrCreateStage(std::move(stage), replay).jobs.push_back(job);
  return true;
}

bool ReplayJobEnd(const simdjson::dom::object& event, Replay* replay) {
  const int64_t id = CountAt(event, "Job ID", -1);
  if (id < 0) return false;
  const auto found = replay->jobs.find(id);
  if (found == replay->jobs.end()) return true;
  const std::shared_ptr<LiveJob> job = found->second;
  replay->jobs.erase(found);
  job->is_running = false;
  for (auto at = replay->stages.begin(); at != replay->stages.end();) {
    HistoryStage& stage = *at->second.stage;
    if (stage.status != StageStatus::kPending || !HasStage(job->data, at->first.first)) {
      ++at;
      continue;
    }
    stage.status = StageStatus::kSkipped;
    job->data.skipped_stages.insert(stage.info.id);
    AddSaturated(stage.info.tasks, &job->data.skipped_tasks);
    at = replay->stages.erase(at);
  }
  simdjson::dom::object result;
  const bool succeeded = ObjectAt(event, "Job Result", &result) && TextAt(result, "Result") == "JobSucceeded";
  job->data.status = succeeded ? JobStatus::kSucceeded : JobStatus::kFailed;
  job->data.completion_ms = PositiveTime(CountAt(event, "Completion Time", -1));
  Show(*job, replay);
  ReplaySqlJobEnd(job->data, replay);
  return true;
}

bool ReplayStageSubmitted(const simdjson::dom::object& event, Replay* replay) {
  simdjson::dom::object object;
  if (!ObjectAt(event, "Stage Info", &object)) return false;
  const int64_t id = CountAt(object, "Stage ID", -1);
  if (id < 0) return false;
  LiveStage& live = GetOrCreateStage(ReadStageInfo(object, &replay->history->strings), replay);
  HistoryStage& stage = *live.stage;
  stage.status = StageStatus::kActive;
  stage.pool = PropertyAt(event, "spark.scheduler.pool").value_or("default");
  stage.description = PropertyAt(event, "spark.job.description");
  live.jobs.clear();
  for (const auto& [job_id, job] : replay->jobs) {
    if (!HasStage(job->data, id)) continue;
    live.jobs.push_back(job);
    job->data.completed_stages.erase(id);
    ++job->data.active_stages;
  }
  AddRdds(object, replay);
  ReplaySqlStageSubmitted(stage.info, replay);
  return true;
}

bool ReplayStageCompleted(const simdjson::dom::object& event, Replay* replay) {
  simdjson::dom::object object;
  if (!ObjectAt(event, "Stage Info", &object)) return false;
  StageInfo info = ReadStageInfo(object, &replay->history->strings);
  if (info.id < 0) return false;
  const StageKey key(info.id, info.attempt);
  const auto live = replay->stages.find(key);
  if (live == replay->stages.end()) return true;
  HistoryStage& stage = *live->second.stage;
  stage.info = std::move(info);
  // In old logs, stages without a submission time were skipped.
  stage.status = stage.info.submission_ms ? StageStatus::kComplete : StageStatus::kSkipped;
  if (stage.info.failure) stage.status = StageStatus::kFailed;
  for (const std::shared_ptr<LiveJob>& job : live->second.jobs) {
    if (stage.status == StageStatus::kComplete) {
      job->data.completed_stages.insert(key.first);
    } else if (stage.status == StageStatus::kSkipped) {
      job->data.skipped_stages.insert(key.first);
      AddSaturated(stage.info.tasks, &job->data.skipped_tasks);
    } else {
      ++job->data.failed_stages;
    }
    --job->data.active_stages;
  }
  for (const std::string& id : live->second.excluded_executors) {
    if (HistoryExecutor* const executor = replay->LiveExecutor(id)) executor->excluded_in_stages.erase(key.first);
  }
  if (stage.active_tasks == 0) replay->stages.erase(live);
  return true;
}

void FinishScheduler(Replay* replay) {
  for (const auto& [id, job] : replay->jobs) Show(*job, replay);
  TaskColumns& tasks = replay->history->tasks;
  for (const auto& [id, row] : replay->tasks) {
    if (tasks.duration_ms[row] == 0) tasks.duration_ms[row] = replay->last_update_ms - tasks.launch_ms[row];
  }
  for (auto& [key, stage] : replay->history->stages) {
    std::stable_sort(stage.tasks.begin(), stage.tasks.end(),
                     [&](uint32_t a, uint32_t b) { return tasks.id[a] < tasks.id[b]; });
    // If a task started twice under one ID, Spark keeps the second start.
    std::vector<uint32_t> kept;
    for (const uint32_t row : stage.tasks) {
      if (!kept.empty() && tasks.id[kept.back()] == tasks.id[row]) kept.pop_back();
      kept.push_back(row);
    }
    kept.shrink_to_fit();
    stage.tasks = std::move(kept);
  }
}

}  // namespace sparkprof
