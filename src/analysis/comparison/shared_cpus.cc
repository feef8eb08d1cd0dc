// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison/shared_cpus.h"

#include <algorithm>

#include "analysis/selection/spark_settings.h"
#include "analysis/selection/time_range.h"
#include "base/saturate.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// Above this CPU utilization, tasks wait for a CPU.
constexpr double kBusy = 0.75;

double AllowedCpus(const Application& application) {
  for (const ApplicationSeries& series : application.series) {
    if (series.name == "process.allowed_cpus" && !series.points.empty()) return series.points.back().value;
  }
  return 0;
}

}  // namespace

SharedCpus::SharedCpus(const Application& application) {
  const Profile& profile = application.profile;
  if (!IsLocal(application)) return;
  const TimeRange range = RangeOf(application);
  const auto seconds = static_cast<size_t>(range.Duration() / kNanosPerSecond) + 1;
  constexpr size_t kMaxSeconds = 1 << 22;  // 48 days
  if (profile.samples.empty() || range.Duration() <= 0 || seconds > kMaxSeconds) return;
  start_ns_ = range.start_ns;
  background_ns_.resize(seconds);
  cpu_of_stage_ns_.resize(application.stages.size());
  const EventId cpu = profile.Row(Event::kCpu);
  const std::vector<int32_t> task_rows = application.TaskRows();
  const auto add = [&](const Sample& sample) {
    if (sample.event != cpu) return;
    const int32_t task = task_rows[sample.task];
    const int32_t stage = task < 0 ? -1 : application.tasks.stage[static_cast<size_t>(task)];
    if (stage >= 0) return AddSaturated(sample.weight, &cpu_of_stage_ns_[static_cast<size_t>(stage)]);
    const int64_t second = (sample.time_ns - start_ns_) / kNanosPerSecond;
    if (sample.time_ns < start_ns_ || static_cast<size_t>(second) >= seconds) return;
    AddSaturated(sample.weight, &background_ns_[static_cast<size_t>(second)]);
  };
  for (const Sample& sample : profile.samples) add(sample);
  for (const Sample& sample : application.python_samples) add(sample);
  cpus_ = AllowedCpus(application);
}

double SharedCpus::Background(int64_t begin_ns, int64_t end_ns) const {
  double sum = 0;
  const int64_t first = std::max<int64_t>(0, (begin_ns - start_ns_) / kNanosPerSecond);
  for (auto second = static_cast<size_t>(first); second < background_ns_.size(); ++second) {
    const int64_t from = start_ns_ + static_cast<int64_t>(second) * kNanosPerSecond;
    if (from >= end_ns) break;
    const int64_t overlap = std::min(end_ns, from + kNanosPerSecond) - std::max(begin_ns, from);
    if (overlap > 0)
      sum += static_cast<double>(background_ns_[second]) * static_cast<double>(overlap) / kNanosPerSecond;
  }
  return sum / static_cast<double>(end_ns - begin_ns);
}

double SharedCpus::Factor(const Load& load, int64_t cores) const {
  if (cpus_ <= 0 || load.end_ns <= load.begin_ns || load.tasks_ns <= 0) return 1;
  const auto span = static_cast<double>(load.end_ns - load.begin_ns), recorded = static_cast<double>(load.tasks_ns);
  const double cpu = std::min(recorded, static_cast<double>(cpu_of_stage_ns_[load.stage]));
  const double background = Background(load.begin_ns, load.end_ns);
  const bool is_busy = cpu / span + background >= kBusy * cpus_;
  const double alone = is_busy ? cpu : recorded;  // the tasks' time with a CPU each
  if (alone <= 0) return 1;
  const auto time_of = [&](double at_once) {
    // Compiler and collector have the same work per task, and at most as many threads as there are CPUs.
    const double beside = std::min(background * at_once * span / alone, cpus_);
    const double wanted = at_once * cpu / alone + beside;
    return alone - cpu + cpu * std::max(1.0, wanted / cpus_);
  };
  return time_of(static_cast<double>(std::min<int64_t>(cores, static_cast<int64_t>(load.tasks)))) / recorded;
}

}  // namespace sparkprof
