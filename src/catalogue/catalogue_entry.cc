// SPDX-License-Identifier: Apache-2.0
#include "catalogue/catalogue_entry.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/machines/series.h"
#include "analysis/owners/resources.h"
#include "analysis/selection/spark_settings.h"
#include "analysis/selection/time_range.h"
#include "analysis/summary.h"
#include "base/text/text.h"
#include "base/time.h"
#include "catalogue/catalogue_sql.h"
#include "render/report/series_view.h"

namespace sparkprof {
namespace {

// A trimmed profiler setting; empty if unset.
std::string_view ProfilerSettingOf(const Application& application, std::string_view name) {
  const auto found = std::find_if(application.settings.begin(), application.settings.end(),
                                  [name](const ProfilerSetting& setting) { return setting.name == name; });
  return found == application.settings.end() ? std::string_view() : Trim(found->value);
}

// The setting "version", else the container image on Kubernetes.
std::string JobVersionOf(const Application& application) {
  if (const std::string_view own = ProfilerSettingOf(application, "version"); !own.empty()) return std::string(own);
  for (const char* key :
       {"spark.sparkprof.version", "spark.kubernetes.driver.container.image", "spark.kubernetes.container.image"}) {
    const std::string_view value = Trim(SettingOf(application, key).value_or(""));
    if (!value.empty()) return std::string(value);
  }
  return {};
}

int64_t LargestSaving(const std::vector<Finding>& findings) {
  int64_t largest = kUnknownTotal;
  for (const Finding& finding : findings) {
    if (finding.saving.IsKnown()) largest = std::max(largest, finding.saving.likely_ns);
  }
  return largest;
}

ApplicationRow ApplicationRowOf(const Application& application, const Answers& answers, const EntryOptions& options) {
  const TimeRange range = RangeOf(application);
  // Profiles of other tools and nodes have no tasks, and no finding applies to them.
  const bool is_spark = !application.is_foreign && !application.is_node;
  const int64_t cpu_ns = CpuOf(application, answers);
  constexpr double kSecondsPerHour = 3600, kMibPerGib = 1024;
  const Resources held = ResourcesOf(application);
  return {
      .key = {application.id, application.attempt},
      .name = application.name,
      .user = application.user,
      .group = GroupOf(application),
      .status = StatusOf(application, options.is_live),
      .start_ns = range.start_ns,
      .end_ns = range.end_ns,
      .tasks = is_spark ? static_cast<int64_t>(application.tasks.Size()) : kUnknownTotal,
      .cpu_ns = cpu_ns > 0 ? cpu_ns : kUnknownTotal,
      .findings = is_spark ? static_cast<int64_t>(answers.findings.size()) : kUnknownTotal,
      .core_ms = held.core_hours > 0 ? std::llround(held.core_hours * kSecondsPerHour * 1e3) : kUnknownTotal,
      .memory_mib_s = held.gb_hours > 0 ? std::llround(held.gb_hours * kSecondsPerHour * kMibPerGib) : kUnknownTotal,
      .saving_ns = LargestSaving(answers.findings),
      .is_node = application.is_node,
      .job_version = JobVersionOf(application),
      .spark_version = application.spark_version,
      .location = options.location,
      .version = options.version,
      .viewers = ViewersOf(application),
      .verdict = answers.verdict,
      .top_finding = answers.findings.empty() ? std::string() : answers.findings.front().title};
}

StageRow StageRowOf(const Stage& stage, const StageSummary& summary) {
  return {.stage = stage.id,
          .attempt = stage.attempt,
          .name = stage.name,
          .status = std::string(RunStatusName(stage.status)),
          .start_ns = stage.submit_ns,
          .end_ns = stage.end_ns,
          .tasks = stage.task_count,
          .failed_tasks = summary.failed_tasks,
          .run_ns = summary.Total(TaskMetric::kExecutorRunTime),
          .cpu_ns = summary.Total(TaskMetric::kExecutorCpuTime)};
}

// Whether a series describes whole processes and JVMs, not one memory pool, collector or method.
bool IsOfProcess(std::string_view series) {
  const size_t dot = series.find('.');
  const std::string_view area = series.substr(0, dot);
  return (area == "process" || area == "jvm") && series.find('.', dot + 1) == std::string_view::npos;
}

// Maxima in the units of the report's charts: counters are rates.
std::vector<SeriesMaximum> MaximaOf(const Application& application) {
  std::map<std::pair<std::string, int64_t>, double> maxima;  // by name and hour
  for (const ApplicationSeries& series : application.series) {
    if (!IsOfProcess(series.name)) continue;
    const SeriesView view = ViewOf(series, /*start_ns=*/0, series.points.size());
    for (size_t i = 0; i < view.time.size(); ++i) {
      const auto time_ns = static_cast<int64_t>(view.time[i] * kNanosPerMilli);
      const auto [place, is_new] = maxima.try_emplace({series.name, HourOf(time_ns)}, view.value[i]);
      if (!is_new) place->second = std::max(place->second, view.value[i]);
    }
  }
  std::vector<SeriesMaximum> list;
  for (const auto& [key, value] : maxima) list.push_back({key.first, key.second * kHourNs, value});
  return list;
}

}  // namespace

std::string GroupOf(const Application& application) {
  const std::string_view label = ProfilerSettingOf(application, "label");
  if (!label.empty()) return std::string(label);
  return application.name.empty() ? application.id : application.name;
}

int64_t CpuOf(const Application& application, const Answers& answers) {
  if (const int64_t cpu_ns = CostOf(application).processes_ns; cpu_ns > 0) return cpu_ns;
  if (const int64_t cpu_ns = SharesOfCpu(application, answers.kinds).total; cpu_ns > 0) {
    return cpu_ns + PythonCpu(application);
  }
  int64_t cpu_ns = 0;
  for (const StageSummary& stage : answers.stages) cpu_ns += stage.Total(TaskMetric::kExecutorCpuTime);
  return cpu_ns;
}

CatalogueEntry MakeCatalogueEntry(const Application& application, const Answers& answers, const EntryOptions& options) {
  CatalogueEntry entry;
  entry.application = ApplicationRowOf(application, answers, options);
  for (size_t row = 0; row < application.stages.size(); ++row) {
    entry.stages.push_back(StageRowOf(application.stages[row], answers.stages[row]));
  }
  for (const Executor& executor : application.executors) {
    entry.executors.push_back({executor.id, executor.host, executor.cores, executor.add_ns, executor.remove_ns});
  }
  for (const Finding& finding : answers.findings) {
    entry.findings.push_back(
        {finding.rule, std::string(SeverityName(finding.severity)), finding.title, finding.saving.likely_ns});
  }
  entry.maxima = MaximaOf(application);
  AddStackTotals(application.profile, entry.application.start_ns, options.rare_share, &entry);
  return entry;
}

}  // namespace sparkprof
