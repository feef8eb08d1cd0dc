// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/advice.h"
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/spark_settings.h"
#include "base/saturate.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr char kTaskCpus[] = "spark.task.cpus";
constexpr double kAboutOne = 1.2;  // cores used by a task
constexpr int64_t kShortTaskNs = 200'000'000;

}  // namespace

std::optional<Finding> FindTaskCpus(const FindingInput& input) {
  const Application& application = input.application;
  const int64_t cpus = ParseInteger(SettingOf(application, kTaskCpus).value_or("1")).value_or(1);
  if (cpus < 2 || cpus > input.cores) return std::nullopt;
  int64_t cpu_ns = 0, task_ns = 0, wall_ns = 0;
  Finding finding;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    const Stage& stage = application.stages[row];
    const StageSummary& summary = input.stages[row];
    // Libraries and engines start their own threads, and without samples the CPU time of Python is unknown.
    const bool is_unknown = UsesPython(application, stage, summary) && summary.python_samples.empty();
    if (is_unknown || !WorkOf(input, stage).library.empty() || RunsOnOtherEngine(application, stage)) continue;
    if (static_cast<int64_t>(summary.tasks.size()) <= input.cores / cpus) continue;
    if (summary.Of(TaskMetric::kDuration).p50 < kShortTaskNs) continue;  // mostly startup
    AddSaturated(summary.Total(TaskMetric::kExecutorCpuTime) + WorkOfPython(application, summary).all_cpu_ns, &cpu_ns);
    AddSaturated(summary.Total(TaskMetric::kDuration), &task_ns);
    wall_ns += summary.wall_ns;
    finding.stages.push_back(stage.id);
  }
  const double used = Share(cpu_ns, task_ns);
  if (cpu_ns == 0 || used > kAboutOne) return std::nullopt;
  const int64_t saved_ns = wall_ns - wall_ns / cpus;
  if (saved_ns < kWorthwhileNs || Share(saved_ns, input.duration_ns) < kNoticeable) return std::nullopt;
  finding.title = fmt::format("Each task reserves {} cores and uses {:.1f}", cpus, used);
  finding.what = fmt::format("With {}={}, {} run {} at once, although more wait", kTaskCpus, cpus,
                             Counted(input.cores, "core"), Counted(input.cores / cpus, "task"));
  finding.evidence = fmt::format("{} of CPU time in {} of task time; stages with more tasks than that take {}",
                                 FormatDuration(cpu_ns), FormatDuration(task_ns), FormatDuration(wall_ns));
  finding.condition = fmt::format(
      "{} is at least 2, tasks use at most {:.1f} cores, and stages with more tasks than run at once would take at "
      "least "
      "{} of the duration less with a core for each; not those of libraries and of engines with threads of their own",
      kTaskCpus, kAboutOne, FormatShare(kNoticeable));
  finding.selection.event = EventName(Event::kCpu);
  finding.change = fmt::format("Set {}=1, unless code of the tasks starts threads of its own", kTaskCpus);
  finding.claim = ClaimStages(input, finding.stages, saved_ns, kMost);
  return finding;
}

}  // namespace sparkprof
