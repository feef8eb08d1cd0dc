// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/rules.h"
#include "analysis/findings/skew.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr size_t kLeastTasks = 3;
constexpr double kFarSlower = 3;  // times the median
constexpr size_t kMostNamed = 20;
constexpr size_t kOneIn =
    5;  // at most one in five tasks: the first tasks of an executor are slow, because they warm it up

std::string Title(const Stage& stage, const Quantiles& durations, std::string_view verb) {
  return fmt::format("Stage {}: straggler {} {}, median task {}", stage.id, verb, FormatDuration(durations.max),
                     FormatDuration(durations.p50));
}

void Describe(const Stage& stage, const StageSummary& summary, int64_t cpu, Finding* finding) {
  const Quantiles durations = summary.Of(TaskMetric::kDuration);
  const int64_t median_cpu = summary.Of(TaskMetric::kExecutorCpuTime).p50;
  const std::string cpu_text = fmt::format("CPU time {}, median {}", FormatDuration(cpu), FormatDuration(median_cpu));
  if (summary.Total(TaskMetric::kExecutorRunTime) == 0) {
    finding->title = Title(stage, durations, "takes");
    finding->confidence = 0.6;
    finding->evidence = "text logs have no task metrics, so it is unknown whether the task computed or waited";
    finding->change =
        "Enable the event log (spark.eventLog.enabled) or use `sparkprof run` to compare the data, CPU time and "
        "flame graph of the task with those of the others";
    finding->selection.event = EventName(Event::kWall);
  } else if (2 * (cpu - median_cpu) > durations.max - durations.p50) {
    finding->title = Title(stage, durations, "computes");
    finding->confidence = 0.8;
    finding->evidence = cpu_text + ", with about the same bytes and records as the others";
    finding->change =
        "Compare its flame graph with that of the median task: some records are far more expensive than others. "
        "Distribute them over more partitions, or reduce their cost";
  } else {
    finding->title = Title(stage, durations, "waits");
    finding->confidence = 0.7;
    finding->evidence = cpu_text + "; it waited for the rest of its time";
    finding->change =
        "Check its wall-clock flame graph for the cause of the wait, for example a slow host, disk or remote service. "
        "spark.speculation helps if a host is slow";
    finding->selection.event = EventName(Event::kWall);
  }
}

}  // namespace

std::optional<Finding> FindStragglers(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const Tasks& tasks = input.application.tasks;
  const MetricColumn& duration = tasks.Column(TaskMetric::kDuration);
  const Quantiles quantiles = summary.Of(TaskMetric::kDuration);
  if (summary.tasks.size() < kLeastTasks || quantiles.max - quantiles.p50 < kWorthwhileNs ||
      static_cast<double>(quantiles.max) < kFarSlower * static_cast<double>(quantiles.p50)) {
    return std::nullopt;
  }
  const int64_t limit = std::max(quantiles.max / 2, 2 * quantiles.p50);
  Finding finding;
  finding.selection = SelectStage(stage, Event::kCpu);
  uint32_t slowest = summary.tasks.front();
  int64_t last_finish = 0, last_other = 0;
  size_t stragglers = 0;
  for (const uint32_t task : summary.tasks) {
    if (duration[task] > duration[slowest]) slowest = task;
    last_finish = std::max(last_finish, tasks.finish_ns[task]);
    if (duration[task] < limit) {
      last_other = std::max(last_other, tasks.finish_ns[task]);
    } else if (++stragglers <= kMostNamed) {
      finding.selection.tasks.push_back(tasks.id[task]);
    }
  }
  if (HasFarMoreData(tasks, summary, slowest)) return std::nullopt;  // a case for FindSkew
  if (stragglers > std::max<size_t>(1, summary.tasks.size() / kOneIn)) return std::nullopt;
  finding.what = fmt::format("In {}, task {} took {}; the median task took {}, the 75th percentile is {}",
                             StageText(stage), tasks.id[slowest], FormatDuration(quantiles.max),
                             FormatDuration(quantiles.p50), FormatDuration(quantiles.p75));
  finding.condition = fmt::format(
      "The slowest task takes at least {} times the median and at least {} more, without more data; at most one "
      "task in {} is that slow",
      kFarSlower, FormatDuration(kWorthwhileNs), kOneIn);
  finding.gain_ns = std::clamp<int64_t>(last_finish - last_other, 0, quantiles.max - quantiles.p50);
  finding.severity = SeverityOf(finding.gain_ns, input.duration_ns);
  Describe(stage, summary, tasks.Column(TaskMetric::kExecutorCpuTime)[slowest], &finding);
  return finding;
}

}  // namespace sparkprof
