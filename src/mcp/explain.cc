// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/machines/executor_memory.h"
#include "analysis/plans/datasets.h"
#include "analysis/plans/operator_costs.h"
#include "analysis/plans/work_names.h"
#include "analysis/python/python_waits.h"
#include "analysis/time/stage_summary.h"
#include "base/text/text.h"
#include "mcp/facts.h"
#include "mcp/job_text.h"
#include "mcp/shown_samples.h"
#include "mcp/tool.h"
#include "model/query_text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxNames = 20;  // maximum number of executors in an error
constexpr size_t kTopFunctions = 6;
constexpr size_t kMaxChanges = 10;
constexpr size_t kSlowestTasks = 3;
constexpr size_t kStagesOfQuery = 5, kOperatorsOfQuery = 8, kDatasetsOfQuery = 10;

std::string MetricText(TaskMetric metric, int64_t value) {
  const std::string_view unit = Text(metric).unit;
  if (unit == "ns") return FormatDuration(value);
  return unit == "bytes" ? FormatBytes(value) : std::to_string(value);
}

std::string Times(int64_t value, int64_t median) {
  return median <= 0 ? ""
                     : fmt::format(" = {:.1f} × the median", static_cast<double>(value) / static_cast<double>(median));
}

// The row of the selected stage: its last attempt unless one is selected; without a stage, the stage with the largest
// share of the application's time.
std::optional<size_t> StageOf(const AskedApplication& asked, const Selection& selection) {
  const std::vector<Stage>& stages = asked.recorded->stages;
  std::optional<size_t> found;
  for (size_t row = 0; row < stages.size(); ++row) {
    if (selection.stage) {
      const bool is_it = stages[row].id == *selection.stage &&
                         (!selection.stage_attempt || stages[row].attempt == *selection.stage_attempt);
      if (is_it && (!found || stages[row].attempt > stages[*found].attempt)) found = row;
    } else if (!found || asked.answers->stages[row].wall_ns > asked.answers->stages[*found].wall_ns) {
      found = row;
    }
  }
  return found;
}

std::string StageTitle(const AskedApplication& asked, size_t row) {
  const Stage& stage = asked.recorded->stages[row];
  const StageSummary& summary = asked.answers->stages[row];
  std::string text =
      fmt::format("stage {}.{} {}: {}", stage.id, stage.attempt,
                  Marked(NamesOfWork(*asked.recorded).stages[row].Text(), 160), RunStatusName(stage.status));
  if (stage.submit_ns > 0 && stage.end_ns > stage.submit_ns) {
    text += fmt::format(", took {}, {} of the application's time", FormatDuration(stage.end_ns - stage.submit_ns),
                        FormatDuration(summary.wall_ns));
  }
  return text + fmt::format(", tasks {}, failed {} [{}]", summary.tasks.size(), summary.failed_tasks,
                            SourceOfTasks(*asked.recorded));
}

void AddStageMetrics(const AskedApplication& asked, size_t row, ToolAnswer* answer) {
  const StageSummary& summary = asked.answers->stages[row];
  answer->Add(
      fmt::format("Task metrics, minimum / median / maximum, sum [{}]; those without a line are 0 or were not "
                  "recorded:",
                  SourceOfTasks(*asked.recorded)));
  for (size_t i = 0; i < kTaskMetricCount; ++i) {
    const auto metric = static_cast<TaskMetric>(i);
    if (summary.Total(metric) == 0) continue;
    const Quantiles all = summary.Of(metric);
    const std::string sum = MetricText(metric, summary.Total(metric));
    answer->Add(summary.tasks.size() < 2
                    ? fmt::format("  {}: {}", Text(metric).label, sum)
                    : fmt::format("  {}: {} / {} / {}, sum {}", Text(metric).label, MetricText(metric, all.min),
                                  MetricText(metric, all.p50), MetricText(metric, all.max), sum));
  }
}

void AddSlowestTasks(const AskedApplication& asked, size_t row, ToolAnswer* answer) {
  const Tasks& tasks = asked.recorded->tasks;
  const StageSummary& summary = asked.answers->stages[row];
  const MetricColumn& duration = tasks.Column(TaskMetric::kDuration);
  std::vector<uint32_t> slowest = summary.tasks;
  std::stable_sort(slowest.begin(), slowest.end(), [&](uint32_t a, uint32_t b) { return duration[a] > duration[b]; });
  if (slowest.size() < 2) return;
  const int64_t median = summary.Of(TaskMetric::kDuration).p50;
  for (size_t i = 0; i < std::min(slowest.size(), kSlowestTasks); ++i) {
    const uint32_t task = slowest[i];
    answer->Add(fmt::format("Slow: task={} took {}{} [{}]", tasks.id[task], FormatDuration(duration[task]),
                            Times(duration[task], median), SourceOfTasks(*asked.recorded)));
  }
}

void AddSampledTime(const AskedApplication& asked, size_t row, ToolAnswer* answer) {
  const StageSummary& summary = asked.answers->stages[row];
  const int64_t whole = summary.wall_samples_ns;
  if (whole > 0) {
    answer->Add(fmt::format(
        "Task threads: on a CPU or ready {}, sleep or wait {}, wait for Python {}, wait for a "
        "native engine {} of {} [samples]",
        PercentOf(summary.runnable_ns, whole), PercentOf(summary.sleep_ns, whole),
        PercentOf(summary.python_wait_ns, whole), PercentOf(summary.engine_wait_ns, whole), FormatDuration(whole)));
  }
  if (summary.lock_ns > 0) answer->Add(fmt::format("Waiting for locks: {} [samples]", FormatDuration(summary.lock_ns)));
}

// A failed selection of samples becomes a line, because the rest of the answer exists.
std::optional<ShownSamples> SamplesOrLine(const AskedApplication& asked, const Selection& selection,
                                          ToolAnswer* answer) {
  Result<ShownSamples> shown = ShowSamples(*asked.merged, selection, {});
  if (shown && shown->why_empty.empty()) return std::move(*shown);
  answer->Add("Code: " + (shown ? shown->EmptyLine() : shown.error().message));
  return std::nullopt;
}

Result<ToolAnswer> ExplainStage(const AskedApplication& asked, const Selection& selection) {
  const std::optional<size_t> row = StageOf(asked, selection);
  if (!row) {
    return Fail(selection.stage ? fmt::format("stage: no stage {}; diagnose names those that matter", *selection.stage)
                                : "no stages: the input has none, so there is nothing to explain; try stacks");
  }
  ToolAnswer answer;
  answer.Add(fmt::format("{} {}", StageTitle(asked, *row), kMarkNote));
  AddSlowestTasks(asked, *row, &answer);
  AddStageMetrics(asked, *row, &answer);
  AddSampledTime(asked, *row, &answer);
  const Stage& stage = asked.recorded->stages[*row];
  for (const StageWaits& waits : asked.answers->waits) {
    if (waits.stage == stage.id) answer.Add(fmt::format("Python: {} [samples]", WaitsInWords(waits)));
  }
  Selection of_stage = selection;
  of_stage.stage = stage.id;
  of_stage.stage_attempt = stage.attempt;
  if (const auto shown = SamplesOrLine(asked, of_stage, &answer)) AddTopFunctions(*shown, kTopFunctions, &answer);
  return answer;
}

Result<ToolAnswer> ExplainTask(const AskedApplication& asked, const Selection& selection) {
  const Tasks& tasks = asked.recorded->tasks;
  const auto found = std::find(tasks.id.begin(), tasks.id.end(), selection.tasks.front());
  if (found == tasks.id.end()) return Fail(fmt::format("task: no task {}: expected a TID", selection.tasks.front()));
  const auto task = static_cast<size_t>(found - tasks.id.begin());
  const int32_t stage = tasks.stage[task];
  ToolAnswer answer;
  std::string title = fmt::format("task {}, attempt {}", tasks.id[task], tasks.attempt[task]);
  if (tasks.executor[task] >= 0) {
    const Executor& executor = asked.recorded->executors[static_cast<size_t>(tasks.executor[task])];
    title += fmt::format(", executor {} on {}", Marked(executor.id, 40), Marked(executor.host, 60));
  }
  answer.Add(fmt::format("{}. {}", title, kMarkNote));
  if (stage >= 0) answer.Add(StageTitle(asked, static_cast<size_t>(stage)));
  if (const StringId reason = tasks.reason[task]; reason != 0) {
    answer.Add(fmt::format("Ended with: {}", Marked(asked.recorded->profile.strings.Get(reason))));
  }
  answer.Add(fmt::format("Metrics, and the median of the stage's tasks [{}]:", SourceOfTasks(*asked.recorded)));
  for (size_t i = 0; i < kTaskMetricCount; ++i) {
    const auto metric = static_cast<TaskMetric>(i);
    const int64_t value = tasks.Column(metric)[task];
    const int64_t median = stage < 0 ? 0 : asked.answers->stages[static_cast<size_t>(stage)].Of(metric).p50;
    if (value == 0 && median == 0) continue;
    answer.Add(fmt::format("  {}: {}, median {}{}", Text(metric).label, MetricText(metric, value),
                           MetricText(metric, median), Times(value, median)));
  }
  const Result<Selection> others = OtherTasks(*asked.recorded, selection);
  const auto shown = SamplesOrLine(asked, selection, &answer);
  if (!shown) return answer;
  const Result<ShownSamples> before = others ? ShowSamples(*asked.merged, *others, {}) : tl::unexpected(others.error());
  if (before && before->why_empty.empty()) {
    AddDifference(*before, *shown, kMaxChanges, &answer);
  } else {
    AddTopFunctions(*shown, kTopFunctions, &answer);
  }
  return answer;
}

void AddStagesOfQuery(const AskedApplication& asked, const SqlExecution& query, ToolAnswer* answer) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < asked.recorded->stages.size(); ++row) {
    if (asked.recorded->stages[row].sql_execution == query.id) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) {
    return asked.answers->stages[a].wall_ns > asked.answers->stages[b].wall_ns;
  });
  for (size_t i = 0; i < std::min(rows.size(), kStagesOfQuery); ++i) answer->Add("  " + StageTitle(asked, rows[i]));
  if (rows.size() > kStagesOfQuery) answer->Add(fmt::format("  and {} other stages", rows.size() - kStagesOfQuery));
}

void AddDatasets(std::string_view verb, const std::set<std::string>& names, ToolAnswer* answer) {
  if (names.empty()) return;
  std::vector<std::string> shown(names.begin(), names.end());
  if (shown.size() > kDatasetsOfQuery) shown.resize(kDatasetsOfQuery);
  const size_t others = names.size() - shown.size();
  answer->Add(fmt::format("{} {}{} [event log]", verb, fmt::join(shown, ", "),
                          others == 0 ? "" : fmt::format(" and {} others", others)));
}

void AddDatasetsOfQuery(const SqlExecution& query, ToolAnswer* answer) {
  std::set<std::string> read, written;
  for (const PlanOperator& one : OperatorsOf(query.plan)) {
    if (const std::optional<Dataset> dataset = DatasetRead(one)) read.insert(Marked(TextOf(*dataset), 80));
    if (const std::optional<Dataset> dataset = DatasetWritten(one)) written.insert(Marked(TextOf(*dataset), 80));
  }
  AddDatasets("Reads", read, answer);
  AddDatasets("Writes", written, answer);
}

// The operators of a query with the most CPU time, else with the most elapsed time.
void AddOperatorsOfQuery(const AskedApplication& asked, const SqlExecution& query, ToolAnswer* answer) {
  const OperatorCosts all = CostOfOperators(*asked.merged);
  std::vector<std::tuple<int64_t, int64_t, size_t>> order;
  for (size_t row = 0; row < all.operators.size(); ++row) {
    const OperatorCost& cost = all.costs[row];
    const int64_t cpu_ns = cost.cpu_ns.value_or(0) + cost.native_ns.value_or(0) + cost.gpu_ns.value_or(0);
    const int64_t elapsed_ns = cost.elapsed_ns.value_or(0) + cost.wait_ns.value_or(0);
    const auto sql = static_cast<size_t>(all.operators[row].sql);
    if (asked.recorded->sql_executions[sql].id == query.id && cpu_ns + elapsed_ns > 0)
      order.emplace_back(cpu_ns, elapsed_ns, row);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::pair(std::get<0>(a), std::get<1>(a)) > std::pair(std::get<0>(b), std::get<1>(b));
  });
  if (order.empty()) return;
  answer->Add("Operators with the most own cost [samples, event log]:");
  for (size_t i = 0; i < std::min(order.size(), kOperatorsOfQuery); ++i) {
    const OperatorCost& cost = all.costs[std::get<2>(order[i])];
    std::vector<std::string> parts;
    const auto add = [&](std::string_view name, const std::optional<int64_t>& value) {
      if (value && *value > 0) parts.push_back(fmt::format("{} {}", name, FormatDuration(*value)));
    };
    add("CPU", cost.cpu_ns);
    add("wait", cost.wait_ns);
    add("native", cost.native_ns);
    add("GPU", cost.gpu_ns);
    add("elapsed", cost.elapsed_ns);
    const PlanNode& node = *all.operators[std::get<2>(order[i])].one.plan;
    answer->Add(
        fmt::format("  {}: {}", Marked(node.text.empty() ? node.name : node.text, 160), fmt::join(parts, ", ")));
  }
}

Result<ToolAnswer> ExplainQuery(const AskedApplication& asked, const Selection& selection) {
  const std::vector<SqlExecution>& queries = asked.recorded->sql_executions;
  const auto query =
      std::find_if(queries.begin(), queries.end(), [&](const SqlExecution& one) { return one.id == *selection.sql; });
  if (query == queries.end())
    return Fail(fmt::format("sql: no SQL execution {}; diagnose names those that matter", *selection.sql));
  ToolAnswer answer;
  std::string title = fmt::format("SQL execution {} {}: {}", query->id, Marked(ReadableQuery(query->description), 160),
                                  RunStatusName(query->status));
  if (query->start_ns > 0 && query->end_ns > query->start_ns)
    title += ", took " + FormatDuration(query->end_ns - query->start_ns);
  answer.Add(fmt::format("{}, jobs {} [event log] {}", title, query->jobs.size(), kMarkNote));
  if (!query->failure.empty()) answer.Add(fmt::format("Failed with: {}", Marked(query->failure)));
  AddDatasetsOfQuery(*query, &answer);
  AddStagesOfQuery(asked, *query, &answer);
  AddOperatorsOfQuery(asked, *query, &answer);
  if (const auto shown = SamplesOrLine(asked, selection, &answer)) AddTopFunctions(*shown, kTopFunctions, &answer);
  return answer;
}

int64_t MedianOf(std::vector<int64_t> values) { return QuantilesOf(std::move(values)).p50; }

Result<ToolAnswer> ExplainExecutor(const AskedApplication& asked, const Selection& selection) {
  const Application& application = *asked.recorded;
  const Tasks& tasks = application.tasks;
  const auto found = std::find_if(application.executors.begin(), application.executors.end(),
                                  [&](const Executor& one) { return one.id == *selection.executor; });
  if (found == application.executors.end()) {
    std::vector<std::string> ids;
    for (const Executor& one : application.executors) ids.push_back(Marked(one.id, 40));
    const size_t others = ids.size() - std::min(ids.size(), kMaxNames);
    ids.resize(ids.size() - others);
    return Fail(fmt::format("executor: no executor {}; there are {}{}", Marked(*selection.executor, 40),
                            ids.empty() ? "none" : fmt::format("{}", fmt::join(ids, ", ")),
                            others > 0 ? fmt::format(" and {} others", others) : ""));
  }
  const auto asked_row = static_cast<int32_t>(found - application.executors.begin());
  std::map<int32_t, int64_t> counts;
  for (size_t task = 0; task < tasks.Size(); ++task) ++counts[tasks.executor[task]];
  counts.erase(-1);
  ToolAnswer answer;
  answer.Add(fmt::format("executor {} on {}, cores {}{}. {}", Marked(found->id, 40), Marked(found->host, 60),
                         found->cores, found->remove_reason.empty() ? "" : ", removed: " + Marked(found->remove_reason),
                         kMarkNote));
  std::vector<int64_t> task_counts;
  for (const auto& [row, count] : counts) task_counts.push_back(count);
  answer.Add(fmt::format("Sums over its tasks, and the median of {} executors with tasks [{}]:", counts.size(),
                         SourceOfTasks(application)));
  answer.Add(fmt::format("  Tasks: {}, median {}", counts[asked_row], MedianOf(task_counts)));
  for (size_t i = 0; i < kTaskMetricCount; ++i) {
    const auto metric = static_cast<TaskMetric>(i);
    std::map<int32_t, int64_t> sums;
    for (size_t task = 0; task < tasks.Size(); ++task) {
      if (tasks.executor[task] >= 0) sums[tasks.executor[task]] += tasks.Column(metric)[task];
    }
    std::vector<int64_t> values;
    for (const auto& [row, sum] : sums) values.push_back(sum);
    if (values.empty()) continue;
    const int64_t median = MedianOf(values);
    if (sums[asked_row] == 0 && median == 0) continue;
    answer.Add(fmt::format("  {}: {}, median {}{}", Text(metric).label, MetricText(metric, sums[asked_row]),
                           MetricText(metric, median), Times(sums[asked_row], median)));
  }
  const int64_t peak_heap = PeakHeapsOf(application)[static_cast<size_t>(asked_row)];
  for (const auto& [name, of_spark] : found->peak_metrics) {
    const int64_t value = name == kPeakHeap ? peak_heap : of_spark;
    if (value > 0) answer.Add(fmt::format("  Peak {}: {} [event log]", Marked(name, 60), value));
  }
  if (const auto shown = SamplesOrLine(asked, selection, &answer)) AddTopFunctions(*shown, kTopFunctions, &answer);
  return answer;
}

}  // namespace

Result<ToolAnswer> AnswerExplain(ApplicationSource* source, const ToolArguments& arguments) {
  const Result<AskedApplication> asked = LoadAsked(source, arguments);
  if (!asked) return tl::unexpected(asked.error());
  const Result<Selection> selection = SelectionOf(arguments);
  if (!selection) return tl::unexpected(selection.error());
  if (!selection->tasks.empty()) return ExplainTask(*asked, *selection);
  if (selection->sql && !selection->stage) return ExplainQuery(*asked, *selection);
  if (selection->executor && !selection->stage) return ExplainExecutor(*asked, *selection);
  return ExplainStage(*asked, *selection);
}

}  // namespace sparkprof
