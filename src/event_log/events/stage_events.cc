// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "base/time.h"
#include "engines/engines.h"
#include "event_log/events/event_handlers.h"
#include "event_log/tags/job_tags.h"
#include "model/query_text.h"

namespace sparkprof {
namespace {

constexpr int64_t kNoStageId = -1;

std::vector<int64_t> IntegersAt(const simdjson::dom::object& object, std::string_view key) {
  std::vector<int64_t> integers;
  simdjson::dom::array array;
  if (!ArrayAt(object, key, &array)) return integers;
  integers.reserve(array.size());
  for (const simdjson::dom::element element : array) {
    const int64_t integer = IntegerOf(element, kNoStageId);
    if (integer >= 0) integers.push_back(integer);
  }
  return integers;
}

int64_t SqlExecutionOf(const simdjson::dom::object& event) {
  simdjson::dom::object properties;
  if (!ObjectAt(event, "Properties", &properties)) return kNoStageId;
  return ParseInteger(TextAt(properties, "spark.sql.execution.id")).value_or(kNoStageId);
}

// The row of the stage attempt in `info`, with basic fields set; nullopt without an ID. The initial stages of a job
// start as pending.
std::optional<int32_t> FillStage(const simdjson::dom::object& info, EventState* state) {
  const int64_t id = IntegerAt(info, "Stage ID", kNoStageId);
  if (id < 0) return std::nullopt;
  const int64_t attempt = std::max<int64_t>(0, IntegerAt(info, "Stage Attempt ID", 0));
  const bool is_new = state->index.FindStage(id, attempt) == ApplicationIndex::kNone;
  const int32_t row = state->index.Stage(id, attempt);
  Stage& stage = state->application->stages[static_cast<size_t>(row)];
  if (is_new) stage.status = RunStatus::kPending;
  if (stage.details.empty()) stage.details = TextAt(info, "Details");
  if (stage.name.empty()) stage.name = ReadableCallSite(TextAt(info, "Stage Name"), stage.details);
  if (stage.parents.empty()) stage.parents = IntegersAt(info, "Parent IDs");
  stage.task_count = std::max<int64_t>(stage.task_count, IntegerAt(info, "Number of Tasks", 0));
  stage.resource_profile = std::max<int64_t>(0, IntegerAt(info, "Resource Profile Id", 0));
  const int64_t submit_ns = NanosAt(info, "Submission Time");
  if (submit_ns > 0) stage.submit_ns = submit_ns;
  return row;
}

// Parses an integer, or a time such as "00:02:24.878" to ns.
std::optional<int64_t> ParseEngineValue(std::string_view text) {
  constexpr int64_t kUnitsMs[] = {3'600'000, 60'000, 1'000, 1};
  constexpr int64_t kMax = 1'000'000;  // limit per unit
  if (const std::optional<int64_t> number = ParseInteger(text)) return number;
  std::vector<std::string_view> parts = Split(text, ':');
  if (parts.size() != 3) return std::nullopt;
  const std::vector<std::string_view> seconds = Split(parts.back(), '.');
  if (seconds.size() != 2 || seconds[1].size() != 3) return std::nullopt;
  parts = {parts[0], parts[1], seconds[0], seconds[1]};
  int64_t millis = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::optional<int64_t> number = ParseInteger(parts[i]);
    if (!number || *number < 0 || *number > kMax) return std::nullopt;
    millis += *number * kUnitsMs[i];
  }
  return millis * kNanosPerMilli;
}

void AddEngineMetric(std::string_view name, std::string_view text, Stage* stage) {
  if (!EngineTaskMetricOf(name)) return;
  const std::optional<int64_t> value = ParseEngineValue(text);
  if (value && *value >= 0) stage->engine_metrics.emplace_back(name, *value);
}

void AddStageAccumulables(const simdjson::dom::object& info, Stage* stage, AccumulatorTable* table) {
  simdjson::dom::array accumulables;
  if (!ArrayAt(info, "Accumulables", &accumulables)) return;
  for (const simdjson::dom::element element : accumulables) {
    simdjson::dom::object accumulable;
    if (element.get_object().get(accumulable) != simdjson::SUCCESS) continue;
    const int64_t id = IntegerAt(accumulable, "ID", kNoStageId);
    const std::string_view text = TextAt(accumulable, "Value");
    AddEngineMetric(TextAt(accumulable, "Name"), text, stage);
    const std::optional<int64_t> value = ParseInteger(text);
    if (id >= 0 && value) table->SetStageValue(id, *value);
  }
}

void AddCachedRdds(const simdjson::dom::object& info, int64_t stage, EventState* state) {
  simdjson::dom::array rdds;
  if (!ArrayAt(info, "RDD Info", &rdds)) return;
  for (const simdjson::dom::element element : rdds) {
    simdjson::dom::object rdd, level;
    if (element.get_object().get(rdd) != simdjson::SUCCESS || !ObjectAt(rdd, "Storage Level", &level)) continue;
    const bool in_memory = BooleanAt(level, "Use Memory"), on_disk = BooleanAt(level, "Use Disk");
    const int64_t id = IntegerAt(rdd, "RDD ID", kNoStageId);
    if (id < 0 || (!in_memory && !on_disk)) continue;
    CachedRdd& known = state->cached_blocks.Rdd(id);
    if (known.name.empty()) known.name = TextAt(rdd, "Name");
    known.in_memory = in_memory;
    known.on_disk = on_disk;
    known.off_heap = BooleanAt(level, "Use Off Heap");
    known.deserialized = BooleanAt(level, "Deserialized");
    known.replication = std::max<int64_t>(1, IntegerAt(level, "Replication", 1));
    known.partition_count = std::max(known.partition_count, IntegerAt(rdd, "Number of Partitions", 0));
    if (known.stages.empty() || known.stages.back() != stage) known.stages.push_back(stage);
  }
}

// The call of groupByKey() or groupBy() whose rows the stage reads; empty = none.
std::string GroupingOf(const simdjson::dom::object& info) {
  simdjson::dom::array rdds;
  if (!ArrayAt(info, "RDD Info", &rdds)) return {};
  for (const simdjson::dom::element element : rdds) {
    simdjson::dom::object rdd;
    if (element.get_object().get(rdd) != simdjson::SUCCESS || TextAt(rdd, "Name") != "ShuffledRDD") continue;
    const std::string_view call = TextAt(rdd, "Callsite");
    if (call.starts_with("groupBy")) return std::string(call);
  }
  return {};
}

// Adds the RDDs of a stage outside of queries, unless it reads a cached one.
void AddRdds(const simdjson::dom::object& info, int64_t stage, EventState* state) {
  constexpr size_t kMaxRdds = 100'000;
  simdjson::dom::array rdds;
  if (!ArrayAt(info, "RDD Info", &rdds)) return;
  for (const simdjson::dom::element element : rdds) {
    simdjson::dom::object rdd, level;
    if (element.get_object().get(rdd) != simdjson::SUCCESS || !ObjectAt(rdd, "Storage Level", &level)) continue;
    if (BooleanAt(level, "Use Memory") || BooleanAt(level, "Use Disk")) return;
  }
  for (const simdjson::dom::element element : rdds) {
    simdjson::dom::object rdd;
    if (element.get_object().get(rdd) != simdjson::SUCCESS) continue;
    const int64_t id = IntegerAt(rdd, "RDD ID", kNoStageId);
    if (id < 0 || (state->rdds.size() >= kMaxRdds && !state->rdds.contains(id))) continue;
    SharedRdd& known = state->rdds[id];
    known.id = id;
    if (known.name.empty()) known.name = TextAt(rdd, "Name");
    if (known.stages.empty() || known.stages.back() != stage) known.stages.push_back(stage);
  }
}

}  // namespace

bool AddJobStart(const simdjson::dom::object& event, EventState* state) {
  const int64_t id = IntegerAt(event, "Job ID", kNoStageId);
  if (id < 0) return false;
  const size_t row = static_cast<size_t>(state->index.Job(id));
  Job& job = state->application->jobs[row];
  job.submit_ns = NanosAt(event, "Submission Time");
  state->clock.See(job.submit_ns);
  job.stages = IntegersAt(event, "Stage IDs");

  simdjson::dom::array infos;
  if (ArrayAt(event, "Stage Infos", &infos)) {
    int64_t result_stage = kNoStageId;
    for (const simdjson::dom::element element : infos) {
      simdjson::dom::object info;
      if (element.get_object().get(info) != simdjson::SUCCESS) continue;
      const std::optional<int32_t> stage_row = FillStage(info, state);
      if (!stage_row) continue;
      const Stage& stage = state->application->stages[static_cast<size_t>(*stage_row)];
      if (stage.id > result_stage) {
        result_stage = stage.id;
        job.name = stage.name;
      }
      if (std::find(job.stages.begin(), job.stages.end(), stage.id) == job.stages.end()) {
        job.stages.push_back(stage.id);
      }
    }
  }
  for (const int64_t stage : job.stages) state->job_of_stage.try_emplace(stage, id);

  simdjson::dom::object properties;
  if (ObjectAt(event, "Properties", &properties)) {
    job.sql_execution = ParseInteger(TextAt(properties, "spark.sql.execution.id")).value_or(kNoStageId);
    const auto property = [&](std::string_view name) {
      return state->own_redaction.Setting(name, TextAt(properties, name));
    };
    job.group = property("spark.jobGroup.id");
    const std::string details = property("callSite.long");
    job.description = ReadableCallSite(property("spark.job.description"), details);
    job.call_site = ReadableCallSite(property("callSite.short"), details);
    job.tags = JobTags(property("spark.job.tags"));
  }
  return true;
}

bool AddJobEnd(const simdjson::dom::object& event, EventState* state) {
  const int64_t id = IntegerAt(event, "Job ID", kNoStageId);
  if (id < 0) return false;
  Job& job = state->application->jobs[static_cast<size_t>(state->index.Job(id))];
  job.end_ns = NanosAt(event, "Completion Time");
  state->clock.See(job.end_ns);
  simdjson::dom::object result;
  const bool has_result = ObjectAt(event, "Job Result", &result);
  job.status = has_result && TextAt(result, "Result") == "JobSucceeded" ? RunStatus::kSucceeded : RunStatus::kFailed;
  simdjson::dom::object exception;
  if (has_result && ObjectAt(result, "Exception", &exception)) job.failure = TextAt(exception, "Message");
  return true;
}

bool AddStageSubmitted(const simdjson::dom::object& event, EventState* state) {
  simdjson::dom::object info;
  if (!ObjectAt(event, "Stage Info", &info)) return false;
  const std::optional<int32_t> row = FillStage(info, state);
  if (!row) return false;
  Stage& stage = state->application->stages[static_cast<size_t>(*row)];
  state->clock.See(stage.submit_ns);
  if (stage.end_ns == 0) stage.status = RunStatus::kRunning;
  if (stage.sql_execution < 0) stage.sql_execution = SqlExecutionOf(event);
  AddCachedRdds(info, stage.id, state);
  if (stage.sql_execution < 0 && stage.attempt == 0) AddRdds(info, stage.id, state);
  if (stage.sql_execution < 0) stage.grouped_by = GroupingOf(info);
  return true;
}

bool AddStageCompleted(const simdjson::dom::object& event, EventState* state) {
  simdjson::dom::object info;
  if (!ObjectAt(event, "Stage Info", &info)) return false;
  const std::optional<int32_t> row = FillStage(info, state);
  if (!row) return false;
  Stage& stage = state->application->stages[static_cast<size_t>(*row)];
  stage.end_ns = NanosAt(info, "Completion Time");
  state->clock.See(stage.end_ns);
  state->last_ended_stage = stage.id;
  simdjson::dom::element failure;
  if (Find(info, "Failure Reason", &failure)) {
    stage.status = RunStatus::kFailed;
    stage.failure = TextOf(failure);
  } else {
    stage.status = RunStatus::kSucceeded;
  }
  stage.engine_metrics.clear();
  AddStageAccumulables(info, &stage, &state->accumulators);
  return true;
}

void ResolveJobsAndStages(EventState* state) {
  Application& application = *state->application;
  application.shared_rdds.clear();
  for (const auto& [id, rdd] : state->rdds) {
    if (rdd.stages.size() > 1) application.shared_rdds.push_back(rdd);
  }
  std::unordered_set<int64_t> still_needed;
  for (const Job& job : application.jobs) {
    if (job.end_ns == 0) still_needed.insert(job.stages.begin(), job.stages.end());
  }
  for (Stage& stage : application.stages) {
    if (stage.name.empty()) stage.name = "stage " + std::to_string(stage.id);
    const auto needed_by = state->job_of_stage.find(stage.id);
    if (needed_by != state->job_of_stage.end()) {
      stage.job = needed_by->second;
      const int32_t job = state->index.FindJob(stage.job);
      if (stage.sql_execution < 0 && job >= 0) {
        stage.sql_execution = application.jobs[static_cast<size_t>(job)].sql_execution;
      }
    }
    if (stage.status == RunStatus::kPending && !still_needed.contains(stage.id)) stage.status = RunStatus::kSkipped;
  }
}

}  // namespace sparkprof
