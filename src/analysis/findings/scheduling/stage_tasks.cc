// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/scheduling/stage_tasks.h"

#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr double kMostlyAtStart = 0.6;         // share of the time
constexpr double kMostlyAtStartOfShort = 0.4;  // share of the time in a short first stage
constexpr int64_t kShortFirstStageNs = 5 * kNanosPerSecond;

size_t CoresOfExecutor(const Application& application, size_t executor) {
  return static_cast<size_t>(std::max<int64_t>(1, application.executors[executor].cores));
}

std::vector<uint32_t> ByLaunch(const Tasks& tasks, const StageSummary& summary) {
  std::vector<uint32_t> by_launch = summary.tasks;
  std::ranges::stable_sort(by_launch, [&](uint32_t a, uint32_t b) { return tasks.launch_ns[a] < tasks.launch_ns[b]; });
  return by_launch;
}

}  // namespace

std::vector<std::vector<int64_t>> FirstLaunches(const Application& application) {
  const Tasks& tasks = application.tasks;
  std::vector<std::vector<int64_t>> first(application.executors.size());  // heaps, the latest launch on top
  for (size_t task = 0; task < tasks.Size(); ++task) {
    if (tasks.executor[task] < 0) continue;
    const auto executor = static_cast<size_t>(tasks.executor[task]);
    std::vector<int64_t>& launches = first[executor];
    const int64_t launch_ns = tasks.launch_ns[task];
    if (launches.size() == CoresOfExecutor(application, executor)) {
      if (launch_ns >= launches.front()) continue;
      std::pop_heap(launches.begin(), launches.end());
      launches.pop_back();
    }
    launches.push_back(launch_ns);
    std::push_heap(launches.begin(), launches.end());
  }
  for (std::vector<int64_t>& launches : first) std::sort_heap(launches.begin(), launches.end());
  return first;
}

std::vector<uint32_t> FirstWaveOf(const FindingInput& input, const StageSummary& summary) {
  std::vector<uint32_t> wave = ByLaunch(input.application.tasks, summary);
  if (2 * static_cast<size_t>(input.cores) > wave.size()) return {};
  wave.resize(static_cast<size_t>(input.cores));
  return wave;
}

std::vector<uint32_t> TasksAtStartOfExecutors(const FindingInput& input, const StageSummary& summary) {
  const Tasks& tasks = input.application.tasks;
  const std::vector<uint32_t> by_launch = ByLaunch(tasks, summary);
  if (by_launch.empty()) return {};
  // Number of tasks that each executor began before those of the stage, up to its cores.
  const int64_t stage_begin_ns = tasks.launch_ns[by_launch.front()];
  std::vector<size_t> begun;
  for (const std::vector<int64_t>& launches : input.first_launches_ns) {
    const auto before = std::lower_bound(launches.begin(), launches.end(), stage_begin_ns);
    begun.push_back(static_cast<size_t>(before - launches.begin()));
  }
  std::vector<uint32_t> first;
  for (const uint32_t task : by_launch) {
    if (tasks.executor[task] < 0) continue;
    const auto executor = static_cast<size_t>(tasks.executor[task]);
    if (begun[executor]++ < CoresOfExecutor(input.application, executor)) first.push_back(task);
  }
  return first;
}

std::vector<uint32_t> FirstTasksOf(const FindingInput& input, const StageSummary& summary) {
  std::vector<uint32_t> first = TasksAtStartOfExecutors(input, summary);
  if (2 * first.size() > summary.tasks.size()) first.clear();
  return first;
}

bool IsOfStart(const FindingInput& input, const StageSummary& summary, const TimeOfTask& time_of) {
  int64_t all_ns = 0;
  const TimeRange span = TaskSpan(input, summary);
  const std::vector<int64_t>& launches = input.application.tasks.launch_ns;
  const bool is_first =
      std::ranges::none_of(launches, [&](int64_t launch_ns) { return launch_ns > 0 && launch_ns < span.start_ns; });
  const bool is_short_first = is_first && span.Duration() < kShortFirstStageNs;
  for (const uint32_t task : summary.tasks) all_ns += time_of(task);
  for (const std::vector<uint32_t>& first : {FirstTasksOf(input, summary), FirstWaveOf(input, summary)}) {
    if (is_short_first && first.empty()) return true;
    int64_t in_first_ns = 0;
    for (const uint32_t task : first) in_first_ns += time_of(task);
    if (Share(in_first_ns, all_ns) >= (is_short_first ? kMostlyAtStartOfShort : kMostlyAtStart)) return true;
  }
  return false;
}

std::unordered_map<StackId, int64_t> CpuOfStacks(const Application& application, const StageSummary& summary) {
  std::unordered_map<StackId, int64_t> by_stack;
  if (summary.cpu_samples_ns < kWorthwhileNs) return by_stack;
  const Profile& profile = application.profile;
  const EventId cpu = profile.Row(Event::kCpu);
  for (const uint32_t row : summary.samples) {
    const Sample& sample = profile.samples[row];
    if (sample.event == cpu) by_stack[sample.stack] += sample.weight;
  }
  return by_stack;
}

}  // namespace sparkprof
