// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "event_log/events/event_handlers.h"
#include "model/plan_operators.h"
#include "model/query_text.h"

namespace sparkprof {
namespace {

constexpr int64_t kNoSqlId = -1;

std::vector<PlanMetric> ReadMetrics(const simdjson::dom::array& metrics) {
  std::vector<PlanMetric> read;
  for (const simdjson::dom::element element : metrics) {
    simdjson::dom::object metric;
    if (element.get_object().get(metric) != simdjson::SUCCESS) continue;
    PlanMetric& added = read.emplace_back();
    added.name = TextAt(metric, "name");
    added.type = TextAt(metric, "metricType");
    added.accumulator = IntegerAt(metric, "accumulatorId", kNoSqlId);
  }
  return read;
}

// Spark truncates a long location in a scan's text, but not in its metadata.
void CompleteLocation(const simdjson::dom::object& plan, std::string* text) {
  constexpr std::string_view kLocation = "Location: ", kCut = "...";
  simdjson::dom::object metadata;
  const size_t found = text->find(kLocation);
  if (found == std::string::npos || !ObjectAt(plan, "metadata", &metadata)) return;
  const std::string_view whole = TextAt(metadata, "Location");
  const size_t begin = found + kLocation.size();
  const std::string_view cut = std::string_view(*text).substr(begin);
  const auto same = std::mismatch(whole.begin(), whole.end(), cut.begin(), cut.end()).first;
  const auto length = static_cast<size_t>(same - whole.begin());
  if (length < whole.size() && cut.substr(length).starts_with(kCut)) text->replace(begin, length + kCut.size(), whole);
}

// The operator of the plugin above a result that `sparkprof prove` compares. The query's plan is its input.
constexpr std::string_view kFingerprint = "ResultFingerprint";

// Recursion is bounded by simdjson's depth limit, here and below.
PlanNode ReadPlan(const simdjson::dom::object& object) {
  PlanNode node;
  node.name = TextAt(object, "nodeName");
  node.text = TextAt(object, "simpleString");
  CompleteLocation(object, &node.text);
  simdjson::dom::array metrics;
  if (ArrayAt(object, "metrics", &metrics)) node.metrics = ReadMetrics(metrics);
  simdjson::dom::array stages;  // only in sparkprof's recordings
  if (ArrayAt(object, "stageIds", &stages)) {
    for (const simdjson::dom::element stage : stages) node.stages.push_back(IntegerOf(stage, kNoSqlId));
  }
  simdjson::dom::array children;
  if (ArrayAt(object, "children", &children)) {
    for (const simdjson::dom::element element : children) {
      simdjson::dom::object child;
      if (element.get_object().get(child) == simdjson::SUCCESS) node.children.push_back(ReadPlan(child));
    }
  }
  if (node.name == kFingerprint && node.children.size() == 1) return std::move(node.children.front());
  return node;
}

// Only in sparkprof's recordings, whose events have just the last plan.
std::vector<PlanVersion> ReadVersions(const simdjson::dom::object& event) {
  std::vector<PlanVersion> versions;
  simdjson::dom::array elements;
  if (!ArrayAt(event, "planVersions", &elements)) return versions;
  for (const simdjson::dom::element element : elements) {
    simdjson::dom::object object;
    if (element.get_object().get(object) != simdjson::SUCCESS) continue;
    PlanVersion& version = versions.emplace_back();
    version.after_stage = IntegerAt(object, "afterStage", kNoSqlId);
    simdjson::dom::array changes;
    if (!ArrayAt(object, "changes", &changes)) continue;
    for (const simdjson::dom::element change : changes) {
      std::string_view text;
      if (change.get_string().get(text) == simdjson::SUCCESS) version.changes.emplace_back(text);
    }
  }
  return versions;
}

// Null without an ID.
SqlExecution* ExecutionOf(const simdjson::dom::object& event, EventState* state) {
  const int64_t id = IntegerAt(event, "executionId", kNoSqlId);
  if (id < 0) return nullptr;
  return &state->application->sql_executions[static_cast<size_t>(state->index.SqlExecution(id))];
}

void FillPlan(const simdjson::dom::object& event, SqlExecution* execution) {
  const std::string_view text = TextAt(event, "physicalPlanDescription");
  if (!text.empty()) execution->plan_text = text;
  simdjson::dom::object plan;
  if (ObjectAt(event, "sparkPlanInfo", &plan)) execution->plan = ReadPlan(plan);
}

void FillSettings(const simdjson::dom::object& event, EventState* state, SqlExecution* execution) {
  simdjson::dom::object settings;
  if (!ObjectAt(event, "modifiedConfigs", &settings)) return;
  execution->settings.clear();
  for (const simdjson::dom::key_value_pair member : settings) {
    execution->settings.emplace_back(std::string(member.key),
                                     state->own_redaction.Setting(member.key, TextOf(member.value)));
  }
}

using Totals = std::unordered_map<int64_t, AccumulatorTable::Total>;

void FillMetric(const AccumulatorTable::Total& total, PlanMetric* metric) {
  constexpr double kAverageScale = 10;  // Spark stores averages as integers, multiplied by ten
  if (metric->type == "average") {
    if (total.count_not_negative == 0) return;
    metric->value =
        static_cast<double>(total.sum_not_negative) / kAverageScale / static_cast<double>(total.count_not_negative);
  } else if (metric->type == "size" || metric->type == "nsTiming") {
    metric->value = static_cast<double>(total.sum_not_negative);
  } else if (metric->type == "timing") {
    metric->value = static_cast<double>(total.sum_not_negative) * static_cast<double>(kNanosPerMilli);
  } else {
    metric->value = static_cast<double>(total.sum);
  }
  metric->has_value = true;
}

void FillMetrics(const Totals& totals, PlanNode* node) {
  for (PlanMetric& metric : node->metrics) {
    const auto total = totals.find(metric.accumulator);
    if (total != totals.end()) FillMetric(total->second, &metric);
  }
  for (PlanNode& child : node->children) FillMetrics(totals, &child);
}

using StagesOfAccumulators = std::unordered_map<int64_t, std::vector<int32_t>>;

void FillStages(const StagesOfAccumulators& stages, const std::vector<Stage>& rows, PlanNode* node) {
  for (const PlanMetric& metric : node->metrics) {
    const auto found = stages.find(metric.accumulator);
    if (found == stages.end()) continue;
    for (const int32_t row : found->second) node->stages.push_back(rows[static_cast<size_t>(row)].id);
  }
  std::sort(node->stages.begin(), node->stages.end());
  node->stages.erase(std::unique(node->stages.begin(), node->stages.end()), node->stages.end());
  for (PlanNode& child : node->children) FillStages(stages, rows, &child);
}

void CollectAccumulators(const PlanNode& node, std::unordered_set<int64_t>* accumulators) {
  for (const PlanMetric& metric : node.metrics) accumulators->insert(metric.accumulator);
  for (const PlanNode& child : node.children) CollectAccumulators(child, accumulators);
}

// Assigns metrics without a node to the plan's root.
void AttachMetrics(std::vector<PlanMetric> metrics, PlanNode* plan) {
  std::unordered_set<int64_t> known;
  CollectAccumulators(*plan, &known);
  for (PlanMetric& metric : metrics) {
    if (known.insert(metric.accumulator).second) plan->metrics.push_back(std::move(metric));
  }
}

// Spark itself appends the engine's explanations to a plan's text in the same way.
void AppendReasons(const EventState& state, SqlExecution* execution) {
  const auto reasons = state.engine_reasons.find(execution->id);
  if (reasons == state.engine_reasons.end()) return;
  execution->plan_text += "\n== Extended Information (Gluten) ==\n";
  for (const auto& [name, reason] : reasons->second) execution->plan_text += name + " [GLUTEN: " + reason + "]\n";
}

std::vector<bool> LatestAttempts(const std::vector<Stage>& stages) {
  std::unordered_map<int64_t, int64_t> latest;
  for (const Stage& stage : stages) {
    int64_t& attempt = latest[stage.id];
    if (stage.attempt > attempt) attempt = stage.attempt;
  }
  std::vector<bool> is_latest(stages.size());
  for (size_t row = 0; row < stages.size(); ++row) is_latest[row] = latest[stages[row].id] == stages[row].attempt;
  return is_latest;
}

}  // namespace

bool AddSqlExecutionStart(const simdjson::dom::object& event, EventState* state) {
  SqlExecution* const execution = ExecutionOf(event, state);
  if (execution == nullptr) return false;
  execution->root_id = IntegerAt(event, "rootExecutionId", execution->id);
  execution->details = TextAt(event, "details");
  execution->description = ReadableCallSite(TextAt(event, "description"), execution->details);
  execution->start_ns = NanosAt(event, "time");
  state->clock.See(execution->start_ns);
  FillPlan(event, execution);
  FillSettings(event, state, execution);
  execution->plan_versions = ReadVersions(event);
  return true;
}

bool AddSqlExecutionEnd(const simdjson::dom::object& event, EventState* state) {
  SqlExecution* const execution = ExecutionOf(event, state);
  if (execution == nullptr) return false;
  execution->end_ns = NanosAt(event, "time");
  state->clock.See(execution->end_ns);
  execution->failure = TextAt(event, "errorMessage");
  execution->status = execution->failure.empty() ? RunStatus::kSucceeded : RunStatus::kFailed;
  return true;
}

bool AddSqlAdaptiveUpdate(const simdjson::dom::object& event, EventState* state) {
  SqlExecution* const execution = ExecutionOf(event, state);
  if (execution == nullptr) return false;
  const PlanNode before = std::move(execution->plan);
  execution->plan = {};
  FillPlan(event, execution);
  if (execution->plan.name.empty()) {
    execution->plan = before;
    return true;
  }
  std::vector<std::string> changes = ChangesOfPlan(before, execution->plan);
  if (!before.name.empty() && !changes.empty()) {
    execution->plan_versions.push_back({state->last_ended_stage, std::move(changes)});
  }
  return true;
}

// Metrics created during the query for nodes outside its plan belong to the execution.
bool AddSqlAdaptiveMetricUpdates(const simdjson::dom::object& event, EventState* state) {
  SqlExecution* const execution = ExecutionOf(event, state);
  if (execution == nullptr) return false;
  simdjson::dom::array metrics;
  if (ArrayAt(event, "sqlPlanMetrics", &metrics)) state->adaptive_metrics[execution->id] = ReadMetrics(metrics);
  return true;
}

// For adaptive plans, each event contains a part of the plan.
bool AddEngineReasons(const simdjson::dom::object& event, EventState* state) {
  const int64_t id = IntegerAt(event, "executionId", kNoSqlId);
  simdjson::dom::object reasons;
  if (id < 0 || !ObjectAt(event, "fallbackNodeToReason", &reasons)) return false;
  for (const auto& [numbered, element] : reasons) {  // key such as "002 Filter"
    std::string_view reason;
    if (element.get_string().get(reason) != simdjson::SUCCESS) continue;
    const std::string_view name = Trim(numbered.substr(std::min(numbered.find(' '), numbered.size())));
    state->engine_reasons[id].emplace(name, fmt::format("{}", fmt::join(Split(reason, '\n'), " ")));
  }
  return true;
}

bool AddDriverAccumulatorUpdates(const simdjson::dom::object& event, EventState* state) {
  simdjson::dom::array updates;
  if (!ArrayAt(event, "accumUpdates", &updates)) return false;
  for (const simdjson::dom::element element : updates) {
    simdjson::dom::array pair;
    if (element.get_array().get(pair) != simdjson::SUCCESS) continue;
    simdjson::dom::element id;
    simdjson::dom::element value;
    if (pair.at(0).get(id) != simdjson::SUCCESS || pair.at(1).get(value) != simdjson::SUCCESS) continue;
    state->accumulators.AddDriverUpdate(IntegerOf(id, kNoSqlId), IntegerOf(value, 0));
  }
  return true;
}

void ResolveSqlExecutions(EventState* state) {
  Application& application = *state->application;
  for (const Job& job : application.jobs) {
    const int32_t row = state->index.FindSqlExecution(job.sql_execution);
    if (row < 0) continue;
    SqlExecution& execution = application.sql_executions[static_cast<size_t>(row)];
    execution.jobs.push_back(job.id);
    // Before Spark 3.4, an execution's end event has no failure.
    if (job.status == RunStatus::kFailed && execution.status == RunStatus::kSucceeded) {
      execution.status = RunStatus::kFailed;
      execution.failure = job.failure;
    }
  }
  if (application.sql_executions.empty()) return;
  const std::vector<bool> is_latest = LatestAttempts(application.stages);
  const Totals totals = state->accumulators.Totals(is_latest);
  const StagesOfAccumulators stages = state->accumulators.Stages(is_latest);
  for (SqlExecution& execution : application.sql_executions) {
    const auto adaptive = state->adaptive_metrics.find(execution.id);
    FillStages(stages, application.stages, &execution.plan);
    if (adaptive != state->adaptive_metrics.end()) AttachMetrics(adaptive->second, &execution.plan);
    FillMetrics(totals, &execution.plan);
    AppendReasons(*state, &execution);
  }
}

}  // namespace sparkprof
