// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>

#include "analysis/plans/plan_text.h"
#include "analysis/plans/work_names.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/stage_totals.h"
#include "analysis/time/time_spent.h"
#include "base/text/contains.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr double kWorthNaming = 0.1;    // minimum change of a quantity
constexpr double kShareOfTasks = 0.05;  // minimum change of a wait's share of the task time

struct Totals {
  std::string name;  // name of the longest stage
  int64_t longest_ns = -1;
  std::vector<int64_t> ids;
  int64_t wall_ns = 0;
  int64_t tasks = 0;
  int64_t failed = 0;
  std::array<int64_t, kTaskMetricCount> sum{};
  std::string plan;

  int64_t Sum(TaskMetric metric) const { return sum[static_cast<size_t>(metric)]; }
  int64_t BytesRead() const { return Sum(TaskMetric::kInputBytes) + Sum(TaskMetric::kShuffleReadBytes); }
  int64_t RecordsRead() const { return Sum(TaskMetric::kInputRecords) + Sum(TaskMetric::kShuffleReadRecords); }
  double Share(TaskMetric metric) const {
    const int64_t all = Sum(TaskMetric::kDuration);
    return all <= 0 ? 0 : static_cast<double>(Sum(metric)) / static_cast<double>(all);
  }
};

using Key = std::string;
using Groups = std::map<Key, Totals>;

void AddNodes(const PlanNode& node, int64_t stage, std::string* names) {
  const bool is_wrapper = node.name.starts_with("WholeStageCodegen") || node.name == "InputAdapter";
  if (!is_wrapper && Contains(node.stages, stage)) {
    names->append(names->empty() ? "" : ", ").append(MaskNumbers(node.name));
  }
  for (const PlanNode& child : node.children) AddNodes(child, stage, names);
}

std::map<int64_t, std::string> PlansOfStages(const Application& application) {
  std::map<int64_t, const SqlExecution*> executions;
  for (const SqlExecution& sql : application.sql_executions) executions[sql.id] = &sql;
  std::map<int64_t, std::string> plans;
  for (const Stage& stage : application.stages) {
    const auto sql = executions.find(stage.sql_execution);
    if (sql != executions.end() && plans[stage.id].empty()) AddNodes(sql->second->plan, stage.id, &plans[stage.id]);
  }
  return plans;
}

// How exactly stages must match. The last two are for replaced work: `groupByKey` by `reduceByKey` in the same line, or
// other stages of the same query.
enum class Agreement : uint8_t { kPlanAndLine, kLine, kName, kPlace, kQuery };

// Empty = matches no other.
Key KeyOf(const Stage& stage, const std::string& plan, const std::string& query, Agreement agreement) {
  const std::string name = ShortCallSite(stage.name);
  if (agreement == Agreement::kQuery) return query;
  if (agreement == Agreement::kPlace) {
    const size_t place = name.rfind(" at ");
    return place == std::string::npos || !IsOfProgram(name) ? Key() : name.substr(place);
  }
  if (agreement == Agreement::kName) return MaskNumbers(name);
  return agreement == Agreement::kLine ? name : name + "\n" + plan;
}

struct RunStages {
  explicit RunStages(const Application& run)
      : application(run), totals(TotalsOfStages(run)), plans(PlansOfStages(run)), names(NamesOfWork(run)) {
    for (const SqlExecution& sql : run.sql_executions) queries[sql.id] = MaskNumbers(ShortCallSite(sql.description));
    for (size_t row = 0; row < run.stages.size(); ++row) {
      const RunStatus status = run.stages[row].status;
      if (status != RunStatus::kSkipped && status != RunStatus::kPending) left.insert(row);
    }
  }

  // "collect at job.py:12"; the description of its work if Spark has no line of the program.
  std::string NameOf(size_t row) const {
    const std::string& name = application.stages[row].name;
    return IsOfProgram(name) ? ShortCallSite(name) : names.stages[row].Text();
  }

  void Drop(const Totals& matched) {
    const std::set<int64_t> ids(matched.ids.begin(), matched.ids.end());
    std::erase_if(left, [&](size_t row) { return ids.contains(application.stages[row].id); });
  }

  const Application& application;
  std::vector<StageTotals> totals;
  std::map<int64_t, std::string> plans;
  WorkNames names;
  std::map<int64_t, std::string> queries;  // descriptions of SQL executions without numbers, by ID
  std::set<size_t> left;                   // rows of stages that ran and have no match
};

Groups GroupStages(const RunStages& run, Agreement agreement) {
  Groups groups;
  for (const size_t row : run.left) {
    const Stage& stage = run.application.stages[row];
    const auto plan = run.plans.find(stage.id);
    const std::string its_plan = plan == run.plans.end() ? std::string() : plan->second;
    const auto query = run.queries.find(stage.sql_execution);
    const Key key = KeyOf(stage, its_plan, query == run.queries.end() ? std::string() : query->second, agreement);
    if (key.empty()) continue;
    Totals& group = groups[key];
    const int64_t wall_ns = stage.submit_ns > 0 && stage.end_ns > stage.submit_ns ? stage.end_ns - stage.submit_ns : 0;
    if (wall_ns > group.longest_ns) {
      group.longest_ns = wall_ns;
      group.name = run.NameOf(row);
    }
    group.wall_ns += wall_ns;
    group.ids.push_back(stage.id);
    group.plan = its_plan;
    const StageTotals& totals = run.totals[row];
    group.tasks += std::accumulate(totals.count.begin(), totals.count.end(), int64_t{0});
    group.failed += totals.count[static_cast<size_t>(TaskOutcome::kFailed)];
    for (size_t metric = 0; metric < kTaskMetricCount; ++metric) group.sum[metric] += totals.sum[metric];
  }
  return groups;
}

std::string Times(int64_t before, int64_t after) {
  return before <= 0 ? std::string("from none")
                     : fmt::format("{:.2g}x", static_cast<double>(after) / static_cast<double>(before));
}

void NameShare(const Totals& before, const Totals& after, TaskMetric metric, std::string_view name,
               std::vector<std::string>* causes) {
  if (std::abs(after.Share(metric) - before.Share(metric)) < kShareOfTasks) return;
  causes->push_back(fmt::format("{}: {} of the task time, {} before", name, FormatShare(after.Share(metric)),
                                FormatShare(before.Share(metric))));
}

std::vector<std::string> CausesOf(const Totals& before, const Totals& after) {
  std::vector<std::string> causes;
  if (std::abs(after.wall_ns - before.wall_ns) < kShortestChangeNs || !DiffersMuch(before.wall_ns, after.wall_ns))
    return {};
  if (before.plan != after.plan && !before.plan.empty() && !after.plan.empty()) {
    causes.push_back(fmt::format("Plan: {}; before: {}", after.plan, before.plan));
  }
  const bool same_data =
      !DiffersMuch(before.BytesRead(), after.BytesRead()) && !DiffersMuch(before.RecordsRead(), after.RecordsRead());
  if (DiffersMuch(before.BytesRead(), after.BytesRead())) {
    causes.push_back(fmt::format("Data: reads {} ({}), {} before", FormatBytes(after.BytesRead()),
                                 Times(before.BytesRead(), after.BytesRead()), FormatBytes(before.BytesRead())));
  } else if (!same_data) {
    causes.push_back(fmt::format("Data: reads {} records ({}), {} before", after.RecordsRead(),
                                 Times(before.RecordsRead(), after.RecordsRead()), before.RecordsRead()));
  }
  if (DiffersMuch(before.tasks, after.tasks)) {
    causes.push_back(fmt::format("Partitions: {} tasks, {} before", after.tasks, before.tasks));
  }
  const int64_t cpu_before = before.Sum(TaskMetric::kExecutorCpuTime),
                cpu_after = after.Sum(TaskMetric::kExecutorCpuTime);
  if (same_data && before.ids.size() == after.ids.size() && cpu_before > 0 && DiffersMuch(cpu_before, cpu_after)) {
    causes.push_back(fmt::format("Code or machine: {} CPU time ({}) for the same data, {} before",
                                 FormatDuration(cpu_after), Times(cpu_before, cpu_after), FormatDuration(cpu_before)));
  }
  NameShare(before, after, TaskMetric::kGcTime, "GC", &causes);
  NameShare(before, after, TaskMetric::kShuffleFetchWait, "Shuffle wait", &causes);
  NameShare(before, after, TaskMetric::kSchedulerDelay, "Scheduler delay", &causes);
  const int64_t spill_before = before.Sum(TaskMetric::kDiskSpilled), spill_after = after.Sum(TaskMetric::kDiskSpilled);
  if (DiffersMuch(spill_before, spill_after)) {
    causes.push_back(fmt::format("Spill: {} on disk, {} before", FormatBytes(spill_after), FormatBytes(spill_before)));
  }
  if (after.failed != before.failed) {
    causes.push_back(fmt::format("Failures: {} failed tasks, {} before", after.failed, before.failed));
  }
  return causes;
}

StageChange ChangeOfTotals(const Totals& before, const Totals& after) {
  StageChange change;
  change.name = after.ids.empty() ? before.name : after.name;
  // The line of the same work has moved.
  if (!before.ids.empty() && !after.ids.empty() && MaskNumbers(before.name) != MaskNumbers(after.name))
    change.name += fmt::format(" instead of {}", before.name);
  change.before_ids = before.ids;
  change.after_ids = after.ids;
  change.before_ns = before.wall_ns;
  change.after_ns = after.wall_ns;
  change.before_tasks_ns = before.Sum(TaskMetric::kDuration);
  change.after_tasks_ns = after.Sum(TaskMetric::kDuration);
  if (after.ids.empty()) {
    change.causes = {"Only in the earlier run"};
  } else if (before.ids.empty()) {
    change.causes = {"Only in the later run"};
  } else {
    change.causes = CausesOf(before, after);
    if (before.ids.size() != after.ids.size()) {
      change.causes.push_back(fmt::format("Runs {} times, {} before", after.ids.size(), before.ids.size()));
    }
  }
  return change;
}

std::vector<StageChange> MatchStages(const Application& before, const Application& after) {
  RunStages stages_before(before), stages_after(after);
  std::vector<StageChange> changes;
  for (const Agreement agreement :
       {Agreement::kPlanAndLine, Agreement::kLine, Agreement::kName, Agreement::kPlace, Agreement::kQuery}) {
    const Groups of_before = GroupStages(stages_before, agreement);
    const Groups of_after = GroupStages(stages_after, agreement);
    for (const auto& [key, totals] : of_before) {
      const auto same = of_after.find(key);
      if (same == of_after.end()) continue;
      changes.push_back(ChangeOfTotals(totals, same->second));
      stages_before.Drop(totals);
      stages_after.Drop(same->second);
    }
  }
  for (const auto& [key, totals] : GroupStages(stages_before, Agreement::kLine)) {
    changes.push_back(ChangeOfTotals(totals, {}));
  }
  for (const auto& [key, totals] : GroupStages(stages_after, Agreement::kLine)) {
    changes.push_back(ChangeOfTotals({}, totals));
  }
  std::ranges::stable_sort(
      changes, [](const StageChange& a, const StageChange& b) { return std::abs(a.Change()) > std::abs(b.Change()); });
  return changes;
}

// An ID, port, time or address, which differs between any two runs.
bool ChangesAlways(std::string_view name) {
  constexpr std::string_view kEnds[] = {
      "app.id",          "app.startTime",     "app.submitTime", "driver.port", "driver.host",
      "ui.port",         "blockManager.port", "jar.urls",       "file.urls",   "UI_PROXY_URI_BASES",
      "PROXY_URI_BASES", "eventLog.dir"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

// Settings of the profiler, with paths that differ between any two runs.
bool IsOfProfiler(std::string_view name, std::string_view value) {
  return Contains(name, ".sparkprof.") || value.starts_with("sparkprof_python_") ||
         value == "org.sparkprof.SparkProfPlugin";
}

std::map<std::string, std::string> SettingsOf(const Application& application) {
  std::map<std::string, std::string> settings;
  for (const auto& [group, values] : application.environment) {
    for (const auto& [name, value] : values) {
      if (name.starts_with("spark.") && !ChangesAlways(name) && !IsOfProfiler(name, value)) settings[name] = value;
    }
  }
  return settings;
}

std::vector<SettingChange> CompareSettings(const Application& before, const Application& after) {
  const std::map<std::string, std::string> old_settings = SettingsOf(before), new_settings = SettingsOf(after);
  std::vector<SettingChange> changes;
  if (old_settings.empty() || new_settings.empty()) return changes;  // a log without settings
  for (const auto& [name, value] : old_settings) {
    const auto same = new_settings.find(name);
    const std::string now = same == new_settings.end() ? std::string() : same->second;
    if (now != value) changes.push_back({name, value, now});
  }
  for (const auto& [name, value] : new_settings) {
    if (!old_settings.contains(name)) changes.push_back({name, "", value});
  }
  return changes;
}

void NameDifference(std::string_view what, const std::string& before, const std::string& after,
                    std::vector<std::string>* causes) {
  if (before.empty() || after.empty() || before == after) return;
  causes->push_back(fmt::format("{}: {}, {} before", what, after, before));
}

std::vector<std::string> CausesOf(const Application& before, const Application& after) {
  std::vector<std::string> causes;
  NameDifference("Spark", before.spark_version, after.spark_version, &causes);
  NameDifference("Java", before.java_version, after.java_version, &causes);
  NameDifference("Cores", std::to_string(CoreCount(before)), std::to_string(CoreCount(after)), &causes);
  NameDifference("Executors", std::to_string(before.ExecutorCount()), std::to_string(after.ExecutorCount()), &causes);
  return causes;
}

}  // namespace

bool DiffersMuch(int64_t before, int64_t after) {
  const double larger = static_cast<double>(std::max(before, after));
  return std::abs(static_cast<double>(after) - static_cast<double>(before)) > kWorthNaming * larger;
}

double RunComparison::Change() const {
  return before_ns <= 0 ? 0 : static_cast<double>(after_ns - before_ns) / static_cast<double>(before_ns);
}

RunComparison CompareRuns(const Application& before, const Application& after) {
  RunComparison comparison;
  comparison.before_ns = RangeOf(before).Duration();
  comparison.after_ns = RangeOf(after).Duration();
  comparison.causes = CausesOf(before, after);
  comparison.stages = MatchStages(before, after);
  comparison.settings = CompareSettings(before, after);
  return comparison;
}

}  // namespace sparkprof
