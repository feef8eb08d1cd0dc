// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "analysis/selection/time_range.h"
#include "analysis/time/stage_summary.h"
#include "analysis/time/timeline.h"

namespace sparkprof {
namespace {

struct TaskEdge {
  int64_t time_ns = 0;
  int32_t stage = -1;
  int32_t change = 0;  // change of the number of running tasks
};

// Tasks are sorted by start, and nearly by end, so sorting each is fast.
std::vector<TaskEdge> EdgesOf(const Application& application) {
  const Tasks& tasks = application.tasks;
  const TimeRange range = RangeOf(application);
  std::vector<TaskEdge> begins, ends;
  begins.reserve(tasks.Size());
  ends.reserve(tasks.Size());
  for (size_t task = 0; task < tasks.Size(); ++task) {
    const int64_t begin_ns = std::max(tasks.launch_ns[task], range.start_ns);
    const int64_t end_ns = std::min(TaskEnd(application, task, range.end_ns), range.end_ns);
    if (tasks.launch_ns[task] <= 0 || end_ns <= begin_ns) continue;
    begins.push_back({begin_ns, tasks.stage[task], 1});
    ends.push_back({end_ns, tasks.stage[task], -1});
  }
  const auto earlier = [](const TaskEdge& a, const TaskEdge& b) { return a.time_ns < b.time_ns; };
  if (!std::is_sorted(begins.begin(), begins.end(), earlier)) std::stable_sort(begins.begin(), begins.end(), earlier);
  std::stable_sort(ends.begin(), ends.end(), earlier);
  std::vector<TaskEdge> edges;
  edges.reserve(begins.size() + ends.size());
  std::merge(begins.begin(), begins.end(), ends.begin(), ends.end(), std::back_inserter(edges), earlier);
  return edges;
}

}  // namespace

std::vector<int64_t> WallTimeOfStages(const Application& application) {
  struct Running {
    int64_t tasks = 0;
    double since = 0;  // value of `per_task_ns` up to which `wall_ns` is complete
    double wall_ns = 0;
  };
  std::vector<Running> stages(application.stages.size());
  double per_task_ns = 0;  // wall-clock time of a task that has been running from the start
  int64_t running = 0, now_ns = 0;
  for (const TaskEdge& edge : EdgesOf(application)) {
    if (running > 0) per_task_ns += static_cast<double>(edge.time_ns - now_ns) / static_cast<double>(running);
    now_ns = edge.time_ns;
    running += edge.change;
    if (edge.stage < 0) continue;
    Running& stage = stages[static_cast<size_t>(edge.stage)];
    stage.wall_ns += (per_task_ns - stage.since) * static_cast<double>(stage.tasks);
    stage.since = per_task_ns;
    stage.tasks += edge.change;
  }
  std::vector<int64_t> wall_ns;
  wall_ns.reserve(stages.size());
  for (const Running& stage : stages) wall_ns.push_back(static_cast<int64_t>(stage.wall_ns));
  return wall_ns;
}

}  // namespace sparkprof
