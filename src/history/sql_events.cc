// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/redaction/redaction.h"
#include "base/text/json_parser.h"
#include "history/replay.h"
#include "history/scala_order.h"

namespace sparkprof {
namespace {

constexpr int64_t kNoId = -1;

LiveSqlExecution& GetOrCreateExecution(int64_t id, Replay* replay) {
  const auto [place, is_new] = replay->sql_executions.try_emplace(id);
  if (!place->second.is_live) {
    // For an event after its end, Spark starts over with this ID.
    place->second = {};
  }
  if (place->second.types == nullptr) {
    place->second.data.id = id;
    place->second.types = std::make_shared<std::unordered_map<int64_t, std::string>>();
  }
  return place->second;
}

void AddMetrics(const std::vector<PlanGraphMetric>& metrics, LiveSqlExecution* execution) {
  for (const PlanGraphMetric& metric : metrics) {
    execution->metrics.push_back(metric);
    (*execution->types)[metric.accumulator] = metric.type;
  }
}

void ReadPlanOfExecution(const simdjson::dom::object& event, LiveSqlExecution* execution) {
  execution->data.plan_text = RedactText(TextAt(event, "physicalPlanDescription"));
  simdjson::dom::object plan;
  if (!ObjectAt(event, "sparkPlanInfo", &plan)) return;
  execution->data.graph = ReadPlanGraph(plan);
  for (const PlanGraphNode& node : execution->data.graph.nodes) AddMetrics(node.metrics, execution);
}

struct Collected {
  MetricValues values;
  std::optional<MetricMaximum> maximum;
};

// Appends the last value of each index. Returns the number of values.
int64_t AppendValues(std::vector<std::pair<int32_t, int64_t>> by_index, std::vector<int64_t>* values) {
  std::stable_sort(by_index.begin(), by_index.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  int64_t count = 0;
  for (size_t row = 0; row < by_index.size(); ++row) {
    if (row + 1 < by_index.size() && by_index[row + 1].first == by_index[row].first) continue;
    values->push_back(by_index[row].second);
    ++count;
  }
  return count;
}

void Collect(int64_t stage_id, const SqlStage& stage, std::map<int64_t, Collected>* collected,
             const std::unordered_map<int64_t, std::string>& types) {
  for (const auto& [accumulator, metric] : stage.metrics) {
    if (!types.contains(accumulator)) continue;
    Collected& all = (*collected)[accumulator];
    const int64_t tasks = AppendValues(metric.values, &all.values.values);
    all.values.zeros += std::max<int64_t>(0, stage.tasks - tasks);
    if (metric.maximum && (!all.maximum || metric.maximum->value > all.maximum->value)) {
      all.maximum = metric.maximum;
      all.maximum->stage = stage_id;
      all.maximum->attempt = stage.attempt;
    }
  }
}

// Formats the values of the execution's metrics once.
void FillValues(Replay* replay, LiveSqlExecution* execution) {
  if (execution->has_values) return;
  execution->has_values = true;
  std::map<int64_t, Collected> collected;
  // Among equal maxima, Spark shows the first in the iteration order of its set of stages.
  std::vector<int32_t> hashes;
  for (const int64_t id : execution->stages) hashes.push_back(ScalaHash(id));
  for (const size_t position : ScalaMapOrder(hashes)) {
    const int64_t id = execution->stages[position];
    const auto stage = replay->sql_stages.find(id);
    if (stage != replay->sql_stages.end()) Collect(id, stage->second, &collected, *execution->types);
  }
  for (const auto& [accumulator, value] : execution->driver_updates) {
    if (!execution->types->contains(accumulator)) continue;
    const bool is_new = !collected.contains(accumulator);
    Collected& all = collected[accumulator];
    if (!is_new && all.maximum && value > all.maximum->value) all.maximum.reset();
    all.values.values.push_back(value);
  }
  for (auto& [accumulator, all] : collected) {
    all.values.maximum = all.maximum ? &*all.maximum : nullptr;
    execution->data.metric_values[accumulator] = MetricText((*execution->types)[accumulator], std::move(all.values));
  }
}

// Removes stages that no other running execution needs.
void ForgetStages(const LiveSqlExecution& execution, Replay* replay) {
  std::set<int64_t> needed;
  for (const auto& [id, other] : replay->sql_executions) {
    if (&other != &execution && other.is_live) needed.insert(other.stages.begin(), other.stages.end());
  }
  std::erase_if(replay->sql_stages, [&](const auto& stage) { return !needed.contains(stage.first); });
}

// An execution is over when it and all of its jobs have ended, in any order.
void EndIfOver(Replay* replay, LiveSqlExecution* execution) {
  if (execution->end_events < static_cast<int64_t>(execution->data.jobs.size()) + 1) return;
  ForgetStages(*execution, replay);
  execution->is_live = false;
}

LiveSqlExecution* FindLive(int64_t id, Replay* replay) {
  const auto found = replay->sql_executions.find(id);
  return found == replay->sql_executions.end() || !found->second.is_live ? nullptr : &found->second;
}

void SetJob(int64_t job, JobStatus status, HistorySqlExecution* execution) {
  const auto known =
      std::find_if(execution->jobs.begin(), execution->jobs.end(), [&](const auto& row) { return row.first == job; });
  if (known == execution->jobs.end()) {
    execution->jobs.emplace_back(job, status);
  } else {
    known->second = status;
  }
}

void AddUpdate(const TaskEvent& event, int64_t accumulator, int64_t value, const std::string& type, SqlStage* stage) {
  SqlStage::Metric& metric = stage->metrics[accumulator];
  metric.values.emplace_back(event.index, value);
  if (type == "sum") return;
  if (!metric.maximum || value > metric.maximum->value) metric.maximum = {value, 0, 0, event.id};
}

}  // namespace

bool ReplaySqlStart(const simdjson::dom::object& event, Replay* replay) {
  const int64_t id = CountAt(event, "executionId", kNoId);
  if (id < 0) return false;
  LiveSqlExecution& execution = GetOrCreateExecution(id, replay);
  execution.data.description = RedactText(TextAt(event, "description"));
  execution.data.submission_ms = CountAt(event, "time", -1);
  ReadPlanOfExecution(event, &execution);
  ReplayConnectSql(event, id, replay);
  return true;
}

bool ReplaySqlAdaptiveUpdate(const simdjson::dom::object& event, Replay* replay) {
  const int64_t id = CountAt(event, "executionId", kNoId);
  if (id < 0) return false;
  ReadPlanOfExecution(event, &GetOrCreateExecution(id, replay));
  return true;
}

bool ReplaySqlAdaptiveMetrics(const simdjson::dom::object& event, Replay* replay) {
  const int64_t id = CountAt(event, "executionId", kNoId);
  simdjson::dom::array metrics;
  if (id < 0) return false;
  LiveSqlExecution& execution = GetOrCreateExecution(id, replay);
  if (ArrayAt(event, "sqlPlanMetrics", &metrics)) AddMetrics(ReadPlanMetrics(metrics), &execution);
  return true;
}

bool ReplaySqlEnd(const simdjson::dom::object& event, Replay* replay) {
  LiveSqlExecution* const execution = FindLive(CountAt(event, "executionId", kNoId), replay);
  if (execution == nullptr) return true;
  execution->data.completion_ms = CountAt(event, "time", 0);
  simdjson::dom::element error;
  if (Find(event, "errorMessage", &error) && !error.is_null()) execution->data.error = RedactText(TextOf(error));
  FillValues(replay, execution);
  ForgetStages(*execution, replay);
  ++execution->end_events;
  EndIfOver(replay, execution);
  return true;
}

bool ReplaySqlDriverUpdates(const simdjson::dom::object& event, Replay* replay) {
  LiveSqlExecution* const execution = FindLive(CountAt(event, "executionId", kNoId), replay);
  simdjson::dom::array updates;
  if (execution == nullptr || !ArrayAt(event, "accumUpdates", &updates)) return true;
  for (const simdjson::dom::element element : updates) {
    simdjson::dom::array pair;
    simdjson::dom::element id;
    simdjson::dom::element value;
    if (element.get_array().get(pair) != simdjson::SUCCESS || pair.at(0).get(id) != simdjson::SUCCESS ||
        pair.at(1).get(value) != simdjson::SUCCESS)
      continue;
    execution->driver_updates.emplace_back(CountOf(id, kNoId), CountOf(value, 0));
  }
  return true;
}

void ReplaySqlJobStart(const HistoryJob& job, const std::vector<StageInfo>& stages, int64_t execution_id,
                       Replay* replay) {
  const auto known = replay->sql_executions.find(execution_id);
  if (known != replay->sql_executions.end() && !known->second.is_live) {
    // A job started after the end of its execution, which continues until that job ends.
    known->second.is_live = true;
    known->second.end_events = static_cast<int64_t>(known->second.data.jobs.size()) + 1;
  }
  LiveSqlExecution& execution = GetOrCreateExecution(execution_id, replay);
  if (!execution.types->empty()) {
    for (const StageInfo& stage : stages) {
      SqlStage& fresh = replay->sql_stages[stage.id];
      fresh = {};
      fresh.tasks = stage.tasks;
      fresh.types = execution.types;
    }
  }
  SetJob(job.id, JobStatus::kRunning, &execution.data);
  for (const StageInfo& stage : stages) {
    const auto end = execution.stages.end();
    if (std::find(execution.stages.begin(), end, stage.id) == end) execution.stages.push_back(stage.id);
  }
}

void ReplaySqlJobEnd(const HistoryJob& job, Replay* replay) {
  for (auto& [id, execution] : replay->sql_executions) {
    const auto& jobs = execution.data.jobs;
    if (!execution.is_live ||
        std::none_of(jobs.begin(), jobs.end(), [&](const auto& row) { return row.first == job.id; }))
      continue;
    SetJob(job.id, job.status, &execution.data);
    ++execution.end_events;
    EndIfOver(replay, &execution);
  }
}

void ReplaySqlStageSubmitted(const StageInfo& info, Replay* replay) {
  const auto found = replay->sql_stages.find(info.id);
  if (found == replay->sql_stages.end() || found->second.attempt == info.attempt) return;
  SqlStage fresh;
  fresh.attempt = info.attempt;
  fresh.tasks = found->second.tasks;
  fresh.types = found->second.types;
  found->second = std::move(fresh);
}

void ReplaySqlTaskEnd(const TaskEvent& event, Replay* replay) {
  const auto found = replay->sql_stages.find(event.stage);
  if (found == replay->sql_stages.end() || found->second.attempt != event.stage_attempt) return;
  SqlStage& stage = found->second;
  if (event.index < 0 || event.index >= stage.tasks || stage.completed.contains(event.index)) return;
  for (const auto& [accumulator, value] : event.updates) {
    const auto type = stage.types->find(accumulator);
    if (type != stage.types->end()) AddUpdate(event, accumulator, value, type->second, &stage);
  }
  if (event.Status() == HistoryTaskStatus::kSuccess) stage.completed.insert(event.index);
}

void FinishSql(Replay* replay) {
  for (auto& [id, execution] : replay->sql_executions) {
    if (execution.is_live) FillValues(replay, &execution);
    std::vector<int32_t> hashes;
    for (const auto& [job, status] : execution.data.jobs) hashes.push_back(ScalaHash(job));
    std::vector<std::pair<int64_t, JobStatus>> jobs;
    for (const size_t position : ScalaMapOrder(hashes)) jobs.push_back(execution.data.jobs[position]);
    execution.data.jobs = std::move(jobs);
    replay->history->sql_executions.emplace(id, std::move(execution.data));
  }
}

}  // namespace sparkprof
