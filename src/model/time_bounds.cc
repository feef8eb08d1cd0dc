// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <unordered_map>

#include "base/text/text.h"
#include "base/time.h"
#include "model/application_times.h"

namespace sparkprof {
namespace {

// Longer than any application: a clock that was off by decades must not count as time.
constexpr int64_t kLongestNs = int64_t{10} * 366 * 86'400 * 1'000'000'000;

class Bounds {
 public:
  explicit Bounds(Application* application) : application_(*application) {
    for (const Job& job : application_.jobs) See(job.submit_ns, job.end_ns);
    for (const Stage& stage : application_.stages) See(stage.submit_ns, stage.end_ns);
    for (const SqlExecution& sql : application_.sql_executions) See(sql.start_ns, sql.end_ns);
    const Tasks& tasks = application_.tasks;
    for (size_t row = 0; row < tasks.Size(); ++row) See(tasks.launch_ns[row], tasks.finish_ns[row]);
    if (application_.start_ns > 0) first_ns_ = application_.start_ns;
    if (application_.end_ns > 0 && (application_.end_ns >= first_ns_ || application_.ended))
      last_ns_ = application_.end_ns;
    if (application_.end_ns == 0) last_ns_ = std::max(first_ns_, last_ns_);
    last_ns_ = std::max(last_ns_, first_ns_);
    if (last_ns_ - first_ns_ > kLongestNs) first_ns_ = last_ns_ - kLongestNs;
    if (application_.start_ns > 0) application_.start_ns = first_ns_;
    if (application_.end_ns > 0) application_.end_ns = last_ns_;
  }

  // Unknown times (0) stay unknown.
  void Fit(int64_t* begin_ns, int64_t* end_ns) const {
    if (*begin_ns != 0) *begin_ns = std::clamp(*begin_ns, first_ns_, last_ns_);
    if (*end_ns != 0) *end_ns = std::clamp(*end_ns, std::max(first_ns_, *begin_ns), last_ns_);
  }

  int64_t first_ns() const { return first_ns_; }

  // A task's duration has millisecond precision; the times of a text log may have only seconds.
  int64_t Longest() const { return last_ns_ - first_ns_ + kNanosPerSecond; }

 private:
  void See(int64_t begin_ns, int64_t end_ns) {
    const int64_t first_ns = begin_ns > 0 ? begin_ns : end_ns;
    if (first_ns > 0 && (first_ns_ == 0 || first_ns < first_ns_)) first_ns_ = first_ns;
    last_ns_ = std::max({last_ns_, begin_ns, end_ns});
  }

  Application& application_;
  int64_t first_ns_ = 0;
  int64_t last_ns_ = 0;
};

struct FittedTasks {
  size_t without_start = 0;
  size_t moved = 0;  // number of tasks outside of the application's time by more than an hour
  int64_t most_ns = 0;
};

FittedTasks FitTasks(const Bounds& bounds, Application* application) {
  constexpr int64_t kClocksDifferNs = 3600 * kNanosPerSecond;
  Tasks& tasks = application->tasks;
  MetricColumn& durations = tasks.Column(TaskMetric::kDuration);
  FittedTasks fitted;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    int64_t& launch_ns = tasks.launch_ns[row];
    int64_t& finish_ns = tasks.finish_ns[row];
    if (launch_ns <= 0 && finish_ns > 0) {
      launch_ns = finish_ns;
      ++fitted.without_start;
    }
    const int64_t before_ns = finish_ns - launch_ns;
    const int64_t launch_before_ns = launch_ns, finish_before_ns = finish_ns;
    bounds.Fit(&launch_ns, &finish_ns);
    const int64_t moved_ns = std::max(std::abs(launch_ns - launch_before_ns), std::abs(finish_ns - finish_before_ns));
    if (moved_ns > kClocksDifferNs) ++fitted.moved;
    fitted.most_ns = std::max(fitted.most_ns, moved_ns);
    const int64_t duration_ns = finish_ns - launch_ns;
    if (duration_ns != before_ns && finish_ns > 0 && durations[row] > duration_ns) durations[row] = duration_ns;
    if (durations[row] > bounds.Longest()) durations[row] = bounds.Longest();
  }
  return fitted;
}

void FitStages(const Bounds& bounds, Application* application) {
  const Tasks& tasks = application->tasks;
  std::vector<int64_t> first_launch_ns(application->stages.size(), 0);
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (tasks.stage[row] < 0 || tasks.launch_ns[row] <= 0) continue;
    int64_t& first_ns = first_launch_ns[static_cast<size_t>(tasks.stage[row])];
    if (first_ns == 0 || tasks.launch_ns[row] < first_ns) first_ns = tasks.launch_ns[row];
  }
  for (size_t row = 0; row < application->stages.size(); ++row) {
    Stage& stage = application->stages[row];
    if (stage.submit_ns <= 0 && stage.end_ns > 0) stage.submit_ns = first_launch_ns[row];
    bounds.Fit(&stage.submit_ns, &stage.end_ns);
  }
}

void FitJobs(const Bounds& bounds, Application* application) {
  std::unordered_map<int64_t, int64_t> submit_ns;  // first attempts of stages, by ID
  for (const Stage& stage : application->stages) {
    if (stage.submit_ns > 0) submit_ns.try_emplace(stage.id, stage.submit_ns);
  }
  for (Job& job : application->jobs) {
    for (const int64_t stage : job.stages) {
      const auto its_own = submit_ns.find(stage);
      if (job.end_ns <= 0 || job.submit_ns > 0 || its_own == submit_ns.end()) continue;
      job.submit_ns = std::min(its_own->second, job.end_ns);
    }
    bounds.Fit(&job.submit_ns, &job.end_ns);
  }
}

}  // namespace

void BoundTimes(Application* application) {
  const bool has_groups = KeepLargestClockGroup(application);
  const Bounds bounds(application);
  if (bounds.first_ns() == 0) return;
  const FittedTasks fitted = FitTasks(bounds, application);
  FitStages(bounds, application);
  FitJobs(bounds, application);
  for (SqlExecution& sql : application->sql_executions) bounds.Fit(&sql.start_ns, &sql.end_ns);
  for (Executor& executor : application->executors) bounds.Fit(&executor.add_ns, &executor.remove_ns);
  if (fitted.moved > 0 && !has_groups) {
    application->Warn(application->start_ns,
                      fmt::format("{} task{} times outside of the application, by up to {}: clocks differ, or the log "
                                  "was edited. Their durations and totals over time are not reliable",
                                  fitted.moved, fitted.moved == 1 ? " has" : "s have", FormatDuration(fitted.most_ns)));
  }
  const size_t unknown = fitted.without_start;
  if (unknown == 0) return;
  application->Warn(application->start_ns,
                    std::to_string(unknown) + (unknown == 1 ? " task ended" : " tasks ended") +
                        " without a recorded start: the logs are incomplete. Such tasks count for no time");
}

}  // namespace sparkprof
