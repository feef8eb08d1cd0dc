// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/known_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/contains.h"

namespace sparkprof {
namespace {

bool HasDriver(const Application& application) {
  const auto is_loss = [](const Loss& loss) { return loss.what == "drivers"; };  // see missing_executors.cc
  if (std::ranges::any_of(application.losses, is_loss)) return false;
  const auto is_driver = [](const Executor& executor) { return executor.id == "driver"; };
  const auto is_submitted = [](const Stage& stage) { return stage.submit_ns > 0; };
  return application.ended || !application.jobs.empty() || !application.sql_executions.empty() ||
         !application.environment.empty() || std::ranges::any_of(application.executors, is_driver) ||
         std::ranges::any_of(application.stages, is_submitted);
}

bool HasRunTimes(const Tasks& tasks) {
  const MetricColumn& run_time_ns = tasks.Column(TaskMetric::kExecutorRunTime);
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (run_time_ns[row] > 0) return true;
  }
  return false;
}

bool HasCpuSamples(const Application& application) {
  const EventId cpu = application.profile.Row(Event::kCpu);
  const auto is_cpu = [cpu](const Sample& sample) { return sample.event == cpu; };
  return std::ranges::any_of(application.profile.samples, is_cpu);
}

std::string WhyNoTasks(const Application& application) {
  if (application.is_node) return "a recording of a host has no jobs, stages and tasks; read it with those of a job";
  if (application.is_foreign) return "a profile alone has no jobs, stages and tasks";
  return "the input has no tasks";
}

}  // namespace

std::string_view MissingFromLogs(const Application& application) {
  for (const Loss& loss : application.losses) {
    if (loss.what == kExcerptLoss) return loss.reason;
  }
  return {};
}

std::string ExcerptInWords(std::string_view missing) {
  return fmt::format("The logs are an excerpt: they lack {}, so idle times and shares of time are unknown.", missing);
}

std::vector<bool> StagesWithAllTasks(const Application& application) {
  const Tasks& tasks = application.tasks;
  std::vector<int64_t> succeeded(application.stages.size());
  for (size_t task = 0; task < tasks.Size(); ++task) {
    if (tasks.stage[task] >= 0 && tasks.outcome[task] == TaskOutcome::kSucceeded)
      ++succeeded[static_cast<size_t>(tasks.stage[task])];
  }
  std::vector<bool> has_all;
  for (size_t row = 0; row < succeeded.size(); ++row) {
    const int64_t planned = application.stages[row].task_count;
    has_all.push_back(planned > 0 && succeeded[row] >= planned);
  }
  return has_all;
}

KnownParts PartsKnownOf(const Application& application) {
  if (application.is_node) return {};
  const bool has_tasks = application.tasks.Size() > 0;
  const bool has_work = has_tasks || !application.jobs.empty() || !application.stages.empty();
  // If a recording has no work, the part with it may be missing.
  const bool may_lack_work = !has_work && !application.ended && !application.complete;
  const bool has_driver = !application.is_foreign && !may_lack_work && HasDriver(application);
  return {
      .jobs = has_driver, .tasks = has_driver || has_tasks, .executors = has_driver || application.ExecutorCount() > 0};
}

bool HasData(const Application& application) {
  const auto warns = [](LogLevel level) { return level >= LogLevel::kWarn; };
  return !application.spark_version.empty() || !application.jobs.empty() || !application.stages.empty() ||
         application.tasks.Size() > 0 || !application.executors.empty() || !application.sql_executions.empty() ||
         !application.series.empty() || !application.profile.samples.empty() || !application.processes.empty() ||
         std::ranges::any_of(application.logs.level, warns);
}

RulesApplied RulesAppliedTo(const Application& application) {
  RulesApplied rules{.any = application.tasks.Size() > 0};
  if (!rules.any) {
    rules.not_checked = {{"jobs, stages and tasks", WhyNoTasks(application)}};
    return rules;
  }
  const bool has_driver = PartsKnownOf(application).jobs;
  if (!MissingFromLogs(application).empty()) {
    const std::vector<bool> has_all = StagesWithAllTasks(application);
    const bool any_stage = Contains(has_all, true);
    if (!any_stage) rules.not_checked.push_back({"stages", "the logs lack tasks", RuleNeed::kWholeStages});
    if (has_driver) {
      rules.not_checked.push_back(
          {"idle cores and the driver program", "the logs are an excerpt", RuleNeed::kWholeRun});
    }
  }
  if (!has_driver)
    rules.not_checked.push_back({"the driver and idle cores", "no data from the driver", RuleNeed::kDriver});
  if (!HasRunTimes(application.tasks)) {
    rules.not_checked.push_back(
        {"GC, shuffle, spill and data sizes of tasks", "no task metrics", RuleNeed::kTaskMetrics});
  }
  if (!HasCpuSamples(application))
    rules.not_checked.push_back({"code and locks", "no CPU samples", RuleNeed::kCpuSamples});
  if (application.series.empty())
    rules.not_checked.push_back({"memory of processes", "no process metrics", RuleNeed::kProcessMetrics});
  return rules;
}

bool RulesApplied::Has(RuleNeed need) const {
  return any && std::ranges::none_of(not_checked, [need](const NotChecked& one) {
           return one.need == need || (need == RuleNeed::kWholeRun && one.need == RuleNeed::kDriver);
         });
}

std::string NoFindingsText(const RulesApplied& rules) {
  if (!rules.any) return fmt::format("Not checked for known problems: {}", rules.not_checked.front().reason);
  std::vector<std::string> texts;
  for (const NotChecked& one : rules.not_checked) texts.push_back(fmt::format("{} ({})", one.what, one.reason));
  const std::string none = fmt::format("No known problems detected ({} rules checked)", rules.checked);
  return texts.empty() ? none : fmt::format("{}; not checked: {}", none, fmt::join(texts, ", "));
}

}  // namespace sparkprof
