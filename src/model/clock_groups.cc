// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "base/time.h"
#include "model/application_times.h"

namespace sparkprof {
namespace {

constexpr int64_t kLongestPauseNs = int64_t{30} * 86'400 * kNanosPerSecond;
constexpr size_t kMaxNamed = 3;  // maximum number of groups in a notice

// Counts times by spans of 30 days, so that a million tasks need no sorting.
class Spans {
 public:
  void Add(int64_t time_ns, bool is_task = false) {
    if (time_ns <= 0) return;
    const auto [place, is_new] = spans_.try_emplace(time_ns / kLongestPauseNs, ClockGroup{time_ns, time_ns});
    ClockGroup& span = place->second;
    span.first_ns = std::min(span.first_ns, time_ns);
    span.last_ns = std::max(span.last_ns, time_ns);
    ++span.times;
    span.tasks += is_task ? 1 : 0;
  }

  std::vector<ClockGroup> Groups() const {
    std::vector<ClockGroup> groups;
    for (const auto& [number, span] : spans_) {
      if (groups.empty() || span.first_ns - groups.back().last_ns > kLongestPauseNs) {
        groups.push_back(span);
        continue;
      }
      groups.back().last_ns = span.last_ns;
      groups.back().tasks += span.tasks;
      groups.back().times += span.times;
    }
    return groups;
  }

 private:
  std::map<int64_t, ClockGroup> spans_;
};

std::string RangeText(const ClockGroup& group) {
  return fmt::format("{} to {} ({} task{})", FormatTimestamp(group.first_ns), FormatTimestamp(group.last_ns),
                     group.tasks, group.tasks == 1 ? "" : "s");
}

// Returns the number of tasks that are not completely in the group.
int64_t KeepTasks(const ClockGroup& kept, Tasks* tasks) {
  const MetricColumn& run_time_ns = tasks->Column(TaskMetric::kExecutorRunTime);
  MetricColumn& durations = tasks->Column(TaskMetric::kDuration);
  int64_t outside = 0;
  for (size_t row = 0; row < tasks->Size(); ++row) {
    int64_t& launch_ns = tasks->launch_ns[row];
    int64_t& finish_ns = tasks->finish_ns[row];
    const bool has_launch = launch_ns <= 0 || kept.Has(launch_ns), has_finish = finish_ns <= 0 || kept.Has(finish_ns);
    if (has_launch && has_finish) continue;
    ++outside;
    if (!has_launch && !has_finish) {
      launch_ns = std::clamp(launch_ns, kept.first_ns, kept.last_ns);
      finish_ns = std::clamp(finish_ns, launch_ns, kept.last_ns);
    }
    if (launch_ns > 0 && has_launch) finish_ns = std::min(kept.last_ns, launch_ns + run_time_ns[row]);
    if (finish_ns > 0 && has_finish) launch_ns = std::max(kept.first_ns, finish_ns - run_time_ns[row]);
    if (launch_ns > 0 && finish_ns > 0) durations[row] = std::max<int64_t>(0, finish_ns - launch_ns);
  }
  return outside;
}

}  // namespace

std::vector<ClockGroup> ClockGroupsOf(const Application& application) {
  Spans spans;
  spans.Add(application.start_ns);
  spans.Add(application.end_ns);
  for (const int64_t time_ns : application.logs.time_ns) spans.Add(time_ns);
  for (const ApplicationSeries& series : application.series) {
    for (const SeriesPoint& point : series.points) spans.Add(point.time_ns);
  }
  ForEachScheduledTime(application, [&](int64_t time_ns) { spans.Add(time_ns); });
  const Tasks& tasks = application.tasks;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    spans.Add(tasks.launch_ns[row], tasks.finish_ns[row] <= 0);
    spans.Add(tasks.finish_ns[row], true);
  }
  return spans.Groups();
}

bool KeepLargestClockGroup(Application* application) {
  const std::vector<ClockGroup> groups = ClockGroupsOf(*application);
  if (groups.size() < 2) return false;
  // The last of equal groups, because unset clocks are slow.
  const auto size_of = [](const ClockGroup& group) { return std::tuple(group.tasks, group.times, group.first_ns); };
  const ClockGroup kept = *std::max_element(
      groups.begin(), groups.end(), [&](const ClockGroup& a, const ClockGroup& b) { return size_of(a) < size_of(b); });
  if (application->start_ns > 0 && !kept.Has(application->start_ns)) application->start_ns = kept.first_ns;
  if (application->end_ns > 0 && !kept.Has(application->end_ns)) application->end_ns = kept.last_ns;
  const int64_t outside = KeepTasks(kept, &application->tasks);
  // Stages and jobs have no run time to compute the other time from, so it becomes unknown.
  const auto forget = [&kept](int64_t* time_ns) {
    if (*time_ns > 0 && !kept.Has(*time_ns)) *time_ns = 0;
  };
  for (Stage& stage : application->stages) {
    forget(&stage.submit_ns);
    forget(&stage.end_ns);
  }
  for (Job& job : application->jobs) {
    forget(&job.submit_ns);
    forget(&job.end_ns);
  }
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(groups.size(), kMaxNamed); ++i) texts.push_back(RangeText(groups[i]));
  if (groups.size() > kMaxNamed) texts.push_back(fmt::format("and {} more", groups.size() - kMaxNamed));
  std::string text = fmt::format("The times of the input do not fit together: {}. Durations and totals cover {} to {}",
                                 fmt::join(texts, ", "), FormatTimestamp(kept.first_ns), FormatTimestamp(kept.last_ns));
  if (outside > 0) {
    text += fmt::format("; the times of {} task{} outside of it are unknown", outside, outside == 1 ? "" : "s");
  }
  application->Warn(kept.first_ns, text + ". Check whether logs of different runs were merged, or a clock was wrong");
  return true;
}

}  // namespace sparkprof
