// SPDX-License-Identifier: Apache-2.0
#include "analysis/costs/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/owners/resources.h"
#include "analysis/plans/datasets.h"
#include "analysis/selection/spark_settings.h"
#include "analysis/tables/table.h"
#include "base/saturate.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr double kNanosOfHour = 3600e9;

int64_t CoresOfTask(const Application& application) {
  int64_t cores = 1;
  const std::string text(SettingOf(application, "spark.task.cpus").value_or("1"));
  if (const std::optional<int64_t> parsed = ParseInteger(text)) cores = *parsed;
  return std::max<int64_t>(1, cores);
}

int64_t DurationOfTask(const Tasks& tasks, size_t row) {
  return std::max<int64_t>(0, tasks.Column(TaskMetric::kDuration)[row]);
}

using TimeByRow = std::vector<int64_t>;

TimeByRow TimeOfStages(const Application& application) {
  TimeByRow times(application.stages.size());
  for (size_t row = 0; row < application.tasks.Size(); ++row) {
    const int32_t stage = application.tasks.stage[row];
    if (stage >= 0) AddSaturated(DurationOfTask(application.tasks, row), &times[static_cast<size_t>(stage)]);
  }
  return times;
}

// Task time by row, through a column of its stages.
template <typename Rows>
TimeByRow TimeByStages(const Application& application, const Rows& rows, int64_t Stage::*id) {
  const TimeByRow of_stages = TimeOfStages(application);
  std::unordered_map<int64_t, int64_t> by_id;
  for (size_t row = 0; row < of_stages.size(); ++row) AddSaturated(of_stages[row], &by_id[application.stages[row].*id]);
  TimeByRow times;
  for (const auto& one : rows) {
    const auto found = by_id.find(one.id);
    times.push_back(found == by_id.end() ? 0 : found->second);
  }
  return times;
}

TimeByRow TimeOfTags(const Application& application) {
  const TimeByRow of_jobs = TimeByStages(application, application.jobs, &Stage::job);
  std::map<std::string_view, int64_t> by_tag;
  for (size_t row = 0; row < of_jobs.size(); ++row) {
    for (const std::string_view tag : application.jobs[row].tags) AddSaturated(of_jobs[row], &by_tag[tag]);
  }
  TimeByRow times;
  for (const auto& [tag, time_ns] : by_tag) times.push_back(time_ns);
  return times;
}

TimeByRow DurationOfTasks(const Application& application) {
  TimeByRow times(application.tasks.Size());
  for (size_t row = 0; row < times.size(); ++row) times[row] = DurationOfTask(application.tasks, row);
  return times;
}

// Adds costs in the order of the rows of the table "datasets".
void AddDatasetCosts(const Application& application, const Costs& costs, Table* table) {
  std::unordered_map<int64_t, int64_t> times;  // by stage ID
  const TimeByRow of_stages = TimeOfStages(application);
  for (size_t row = 0; row < of_stages.size(); ++row) AddSaturated(of_stages[row], &times[application.stages[row].id]);
  const std::vector<DatasetUse> uses = DatasetsOf(application);
  const auto add = [&](std::string name, std::string about, std::set<int64_t> DatasetUse::*stages) {
    std::vector<double> of_rows;
    for (const DatasetUse& use : uses) {
      int64_t time_ns = 0;
      for (const int64_t stage : use.*stages) AddSaturated(times[stage], &time_ns);
      of_rows.push_back(costs.OfTaskTime(time_ns));
    }
    table->columns.push_back({std::move(name), std::move(about), ColumnType::kReal, Visibility::kShown,
                              [of_rows = std::move(of_rows)](size_t row) { return Cell(of_rows[row]); }});
  };
  add("readCost", "cost of the tasks of stages that scan it", &DatasetUse::read_stages);
  add("writeCost", "cost of all tasks of the queries that write it", &DatasetUse::write_stages);
}

}  // namespace

Costs::Costs(const Application& application, const PriceList& prices) : prices_(prices) {
  const Resources resources = ResourcesOf(application);
  duration_ns_ = resources.duration_ns;
  const std::optional<double> total = prices.KnownCost(resources.core_hours, resources.gb_hours);
  if (!total) return;
  total_ = *total;
  of_slot_hour_ = total_ / resources.core_hours * static_cast<double>(CoresOfTask(application));
  for (size_t row = 0; row < application.tasks.Size(); ++row)
    AddSaturated(DurationOfTask(application.tasks, row), &task_ns_);
}

double Costs::OfTaskTime(int64_t time_ns) const {
  return std::min(total_, static_cast<double>(time_ns) / kNanosOfHour * of_slot_hour_);
}

double Costs::OfDuration(int64_t time_ns) const {
  return duration_ns_ <= 0 ? 0
                           : total_ * std::min(1.0, static_cast<double>(time_ns) / static_cast<double>(duration_ns_));
}

CostRange Costs::OfSaving(const Finding& finding) const {
  return {OfDuration(finding.saving.low_ns), OfDuration(finding.saving.high_ns)};
}

std::string CostText(double cost, const std::string& currency) { return fmt::format("{:.3g} {}", cost, currency); }

std::string CostText(const CostRange& range, const std::string& currency) {
  return fmt::format("{:.3g}–{}", range.low, CostText(range.high, currency));
}

std::string CostParts(const Costs& costs) {
  const double tasks = costs.OfTasks(), rest = costs.Total() - tasks;
  return fmt::format("{}, of which {} ({}) for tasks and {} ({}) for cores without a task",
                     CostText(costs.Total(), costs.Currency()), CostText(tasks, costs.Currency()),
                     FormatShare(tasks / costs.Total()), CostText(rest, costs.Currency()),
                     FormatShare(rest / costs.Total()));
}

std::string CostSentence(const Costs& costs) { return "Cost: " + CostParts(costs); }

std::string CostLine(const Costs& costs) { return fmt::format("{:<15}{}", "Cost", CostParts(costs)); }

std::string CostChange(const std::optional<Costs>& before, const std::optional<Costs>& after) {
  if (!before || !after) return {};
  return fmt::format("Cost: {}, {} before", CostText(after->Total(), after->Currency()),
                     CostText(before->Total(), before->Currency()));
}

std::vector<double> CostsOfRows(const Application& application, const Costs& costs, std::string_view table) {
  TimeByRow times;
  if (table == "stages") {
    times = TimeOfStages(application);
  } else if (table == "jobs") {
    times = TimeByStages(application, application.jobs, &Stage::job);
  } else if (table == "tags") {
    times = TimeOfTags(application);
  } else if (table == "sql") {
    times = TimeByStages(application, application.sql_executions, &Stage::sql_execution);
  } else if (table == "tasks") {
    times = DurationOfTasks(application);
  }
  std::vector<double> of_rows;
  of_rows.reserve(times.size());
  for (const int64_t time_ns : times) of_rows.push_back(costs.OfTaskTime(time_ns));
  return of_rows;
}

void AddCostColumn(const Application& application, const Costs& costs, Table* table) {
  if (table->name == "datasets") return AddDatasetCosts(application, costs, table);
  const auto of_rows = std::make_shared<const std::vector<double>>(CostsOfRows(application, costs, table->name));
  if (of_rows->size() != table->rows || of_rows->empty()) return;
  table->columns.push_back({"cost", "cost of its tasks, by the price file", ColumnType::kReal, Visibility::kEverywhere,
                            [of_rows](size_t row) { return Cell((*of_rows)[row]); }});
}

}  // namespace sparkprof
