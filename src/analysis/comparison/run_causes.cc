// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison/run_causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/findings/python/python_work.h"
#include "analysis/plans/work_names.h"
#include "analysis/python/driver_lines.h"
#include "analysis/selection/stack_kinds.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/timeline.h"
#include "base/text/contains.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr double kShareOfChange = 0.3;  // minimum share of the change in task time that one kind of time must explain

using ByPlace = std::map<std::string, int64_t>;

// A run's side of a group of equivalent stages.
struct Side {
  const Application& application;
  std::vector<const StageSummary*> stages;
  std::vector<int64_t> ids;  // stage IDs

  int64_t Sum(TaskMetric metric) const {
    int64_t sum = 0;
    for (const StageSummary* stage : stages) sum += stage->Total(metric);
    return sum;
  }
  int64_t Sum(int64_t StageSummary::*member) const {
    int64_t sum = 0;
    for (const StageSummary* stage : stages) sum += stage->*member;
    return sum;
  }
  int64_t BytesRead() const { return Sum(TaskMetric::kInputBytes) + Sum(TaskMetric::kShuffleReadBytes); }
  int64_t LongestTask() const {
    int64_t longest = 0;
    for (const StageSummary* stage : stages) longest = std::max(longest, stage->Of(TaskMetric::kDuration).max);
    return longest;
  }
  int64_t Succeeded() const {
    int64_t count = 0;
    for (const StageSummary* stage : stages) count += static_cast<int64_t>(stage->tasks.size()) - stage->failed_tasks;
    return count;
  }
};

Side SideOf(const Application& application, const std::vector<StageSummary>& summaries,
            const std::vector<int64_t>& ids) {
  Side side{application, {}, ids};
  for (size_t row = 0; row < summaries.size(); ++row) {
    if (Contains(ids, application.stages[row].id)) side.stages.push_back(&summaries[row]);
  }
  return side;
}

// Weights of places in the JVM, from samples that `takes` accepts.
template <typename Takes>
ByPlace PlacesInJvm(const Side& side, std::vector<uint32_t> StageSummary::*rows, const Takes& takes) {
  std::map<StackId, int64_t> by_stack;
  for (const StageSummary* stage : side.stages) {
    for (const uint32_t row : stage->*rows) {
      const Sample& sample = side.application.profile.samples[row];
      if (takes(sample)) by_stack[sample.stack] += sample.weight;
    }
  }
  ByPlace places;
  for (const WaitPlace& place : PlacesOf(side.application, by_stack)) places[place.text] += place.weight_ns;
  return places;
}

ByPlace LinesOfPython(const Side& side) {
  ByPlace lines;
  for (const StageSummary* stage : side.stages) {
    const PythonWork work = WorkOfPython(side.application, *stage);
    for (const PythonLine& line : work.by_cpu) lines[line.text] += line.cpu_ns;
    for (const PythonLine& line : work.by_sleep) lines[line.text] += line.idle_ns;
  }
  return lines;
}

std::string TimeOrNone(int64_t time_ns) { return time_ns <= 0 ? "none" : FormatDuration(time_ns); }

// Formats "; most of it in checksum (slow_udf.py:16), 24.1 s before, 3.0 s now".
std::string LargestPlace(const ByPlace& before, const ByPlace& after, int64_t change_ns, std::string_view in = "in ") {
  std::string largest;
  int64_t most_ns = 0;
  const auto at = [](const ByPlace& places, const std::string& text) {
    const auto found = places.find(text);
    return found == places.end() ? int64_t{0} : found->second;
  };
  const auto look = [&](const ByPlace& places) {
    for (const auto& [text, weight] : places) {
      const int64_t delta_ns = at(after, text) - at(before, text);
      if ((delta_ns > 0) == (change_ns > 0) && std::abs(delta_ns) > std::abs(most_ns))
        most_ns = delta_ns, largest = text;
    }
  };
  look(before);
  look(after);
  constexpr double kMax = 0.5, kPart = 0.1;
  const double share = std::abs(static_cast<double>(most_ns)) / std::abs(static_cast<double>(change_ns));
  if (largest.empty() || share < kPart) return {};
  return fmt::format("; {} of it {}{}, {} before, {} now", share >= kMax ? "most" : "part", in, largest,
                     TimeOrNone(at(before, largest)), TimeOrNone(at(after, largest)));
}

struct KindOfTime {
  const char* kind;
  const char* name;
  int64_t before_ns = 0, after_ns = 0;

  int64_t Change() const { return after_ns - before_ns; }
};

int64_t PythonTime(const Side& side) {
  const int64_t sampled_ns = side.Sum(&StageSummary::wall_samples_ns);
  return sampled_ns > 0 ? side.Sum(&StageSummary::python_wait_ns) : 0;
}

// JVM threads that are runnable in wall-clock samples but without a CPU, compared with CPU samples.
int64_t StarvedTime(const Side& side) {
  const int64_t cpu_ns = side.Sum(&StageSummary::cpu_samples_ns);
  return cpu_ns == 0 ? 0 : std::max<int64_t>(0, side.Sum(&StageSummary::runnable_ns) - cpu_ns);
}

size_t KeptRdds(const Side& side) {
  size_t count = 0;
  for (const CachedRdd& rdd : side.application.cached_rdds) {
    count +=
        std::find_first_of(rdd.stages.begin(), rdd.stages.end(), side.ids.begin(), side.ids.end()) != rdd.stages.end();
  }
  return count;
}

std::vector<KindOfTime> KindsOfTime(const Side& before, const Side& after) {
  std::vector<KindOfTime> kinds;
  const auto add = [&](const char* kind, const char* name, const auto& of) {
    kinds.push_back({kind, name, of(before), of(after)});
  };
  const auto metric = [](TaskMetric which) { return [which](const Side& side) { return side.Sum(which); }; };
  const auto member = [](int64_t StageSummary::*which) {
    return [which](const Side& side) { return side.Sum(which); };
  };
  add("lock", "waiting for locks", member(&StageSummary::lock_ns));
  add("wait", "sleeping or waiting", [](const Side& side) {
    return std::max<int64_t>(0, side.Sum(&StageSummary::sleep_ns) - side.Sum(&StageSummary::lock_ns));
  });
  add("python", "Python", PythonTime);
  add("cpu", "waiting for a CPU", StarvedTime);
  add("engine", "the native engine", member(&StageSummary::engine_wait_ns));
  add("code", "CPU time in the JVM", metric(TaskMetric::kExecutorCpuTime));
  add("gc", "garbage collection", metric(TaskMetric::kGcTime));
  add("shuffle", "waiting for the shuffle", metric(TaskMetric::kShuffleFetchWait));
  add("scheduler", "the scheduler", metric(TaskMetric::kSchedulerDelay));
  return kinds;
}

std::string PlaceOfKind(const KindOfTime& time, const Side& before, const Side& after) {
  const std::string_view kind = time.kind;
  const auto compare = [&](const auto& of) { return LargestPlace(of(before), of(after), time.Change()); };
  if (kind == "lock") {
    return compare([](const Side& side) {
      return PlacesInJvm(side, &StageSummary::lock_samples, [](const Sample&) { return true; });
    });
  }
  if (kind == "python") return compare(LinesOfPython);
  if (kind != "wait" && kind != "code") return {};
  return compare([&](const Side& side) {
    const EventId event = side.application.profile.Row(kind == "code" ? Event::kCpu : Event::kWall);
    return PlacesInJvm(side, &StageSummary::samples, [&](const Sample& sample) {
      return sample.event == event && (kind == "code" || sample.state == ThreadState::kSleeping);
    });
  });
}

// Sets kind and text. `cores`: difference of the applications' cores; null if there is none.
void Explain(const StageChange& change, const Side& before, const Side& after, const std::string* cores,
             RunCause* cause) {
  const auto set = [&](std::string kind, std::string text) {
    cause->kind = std::move(kind);
    cause->text = fmt::format("{}: {}", change.name, text);
  };
  if (change.before_ids.empty() || change.after_ids.empty()) {
    return set("only", change.before_ids.empty() ? "only in the later run" : "only in the earlier run");
  }
  const std::vector<KindOfTime> kinds = KindsOfTime(before, after);
  const auto largest = std::ranges::max_element(kinds, [&](const KindOfTime& a, const KindOfTime& b) {
    // Only changes in the same direction as the duration explain it.
    const int64_t sign = change.Change() < 0 ? -1 : 1;
    return sign * a.Change() < sign * b.Change();
  });
  const auto explains_change = [&](int64_t part) {
    return (part > 0) == (change.Change() > 0) &&
           static_cast<double>(std::abs(part)) >= kShareOfChange * static_cast<double>(std::abs(change.Change()));
  };
  const bool explains = explains_change(largest->Change());
  // A text about the stages' totals with this start: "Plan: …", "Data: …".
  const auto known = [&](std::string_view start) {
    const auto found =
        std::ranges::find_if(change.causes, [&](const std::string& text) { return text.starts_with(start); });
    return found == change.causes.end() ? nullptr : &*found;
  };
  const std::string* const plan = known("Plan: ");
  // Less data does not make a stage longer.
  const int64_t more_data = after.BytesRead() - before.BytesRead();
  const bool contradicts = more_data != 0 && (more_data > 0) != (change.Change() > 0);
  const std::string* const data = contradicts ? nullptr : known("Data: ");
  // These name the user's code, which is more informative than the plan.
  const std::string_view kind = largest->kind;
  const bool is_in_code = explains && (kind == "lock" || kind == "wait" || kind == "python");
  if (const std::string* const failures = known("Failures: ")) return set("failures", *failures);
  const size_t kept_before = KeptRdds(before), kept_after = KeptRdds(after);
  if (kept_before != kept_after && (kept_after > kept_before) == (change.Change() < 0)) {
    return set("cache", kept_after > kept_before ? "reads cached rows, which it computed before"
                                                 : "computes rows that it read from a cache before");
  }
  if (plan != nullptr && !is_in_code) {
    const std::string* const partitions = known("Partitions: ");
    return set("plan", partitions == nullptr ? *plan : fmt::format("{}. {}", *partitions, *plan));
  }
  if (data != nullptr && !is_in_code) return set("data", *data);
  if (explains) {
    const std::string amount = largest->after_ns <= 0
                                   ? fmt::format("no {}", largest->name)
                                   : fmt::format("{} of {}", FormatDuration(largest->after_ns), largest->name);
    return set(largest->kind, fmt::format("{}, {} before{}", amount, TimeOrNone(largest->before_ns),
                                          PlaceOfKind(*largest, before, after)) +
                                  (plan != nullptr ? "; the plan changed" : ""));
  }
  // If all tasks took longer, the longest one is not the explanation.
  if (const int64_t longest = after.LongestTask(); explains_change(longest - before.LongestTask()) &&
                                                   !explains_change(change.after_tasks_ns - change.before_tasks_ns)) {
    return set("skew", fmt::format("the longest task takes {}, {} before", FormatDuration(longest),
                                   FormatDuration(before.LongestTask())));
  }
  if (DiffersMuch(before.Succeeded(), after.Succeeded())) {
    return set("partitions", fmt::format("{} tasks, {} before", after.Succeeded(), before.Succeeded()));
  }
  if (const std::string* const spill = known("Spill: ")) return set("spill", *spill);
  if (cores != nullptr) return set("cores", *cores);
  set("time", "no recorded part of its tasks' time explains the change");
}

struct Pause {
  int64_t begin_ns = 0, end_ns = 0;
};

std::vector<Pause> TimesWithoutTasks(const Application& application, const TimeRange& range) {
  const Tasks& tasks = application.tasks;
  std::vector<Pause> busy;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (tasks.launch_ns[row] > 0) busy.push_back({tasks.launch_ns[row], TaskEnd(application, row, range.end_ns)});
  }
  std::ranges::sort(busy, {}, &Pause::begin_ns);
  std::vector<Pause> pauses;
  int64_t until_ns = range.start_ns;
  for (const Pause& task : busy) {
    if (task.begin_ns > until_ns) pauses.push_back({until_ns, task.begin_ns});
    until_ns = std::max(until_ns, task.end_ns);
  }
  if (range.end_ns > until_ns) pauses.push_back({until_ns, range.end_ns});
  return pauses;
}

bool IsInPause(const std::vector<Pause>& pauses, int64_t time_ns) {
  const auto after = std::upper_bound(pauses.begin(), pauses.end(), time_ns,
                                      [](int64_t time, const Pause& pause) { return time < pause.begin_ns; });
  return after != pauses.begin() && time_ns < std::prev(after)->end_ns;
}

}  // namespace

std::vector<RunCause> CausesOfChange(const RunComparison& comparison, const Application& before,
                                     const std::vector<StageSummary>& stages_before, const Application& after,
                                     const std::vector<StageSummary>& stages_after) {
  std::vector<RunCause> causes;
  const auto cores =
      std::ranges::find_if(comparison.causes, [](const std::string& text) { return text.starts_with("Cores: "); });
  for (const StageChange& change : comparison.stages) {
    if (std::abs(change.Change()) < kShortestChangeNs || !DiffersMuch(change.before_ns, change.after_ns)) continue;
    RunCause& cause = causes.emplace_back();
    cause.stage = change.after_ids.empty() ? change.before_ids.front() : change.after_ids.front();
    cause.delta_ns = change.Change();
    Explain(change, SideOf(before, stages_before, change.before_ids), SideOf(after, stages_after, change.after_ids),
            cores == comparison.causes.end() ? nullptr : &*cores, &cause);
  }
  const DriverPauses driver_before = PausesOf(before), driver_after = PausesOf(after);
  const int64_t driver_ns = driver_after.all_ns - driver_before.all_ns;
  if (std::abs(driver_ns) >= kShortestChangeNs && DiffersMuch(driver_before.all_ns, driver_after.all_ns)) {
    std::string text = fmt::format("No task runs for {}, {} before", TimeOrNone(driver_after.all_ns),
                                   TimeOrNone(driver_before.all_ns));
    text += LargestPlace(driver_before.by_line, driver_after.by_line, driver_ns);
    text += LargestPlace(driver_before.by_job, driver_after.by_job, driver_ns, "");
    causes.push_back({"driver", std::nullopt, std::move(text), driver_ns});
  }
  std::ranges::stable_sort(
      causes, [](const RunCause& a, const RunCause& b) { return std::abs(a.delta_ns) > std::abs(b.delta_ns); });
  return causes;
}

DriverPauses PausesOf(const Application& application) {
  const TimeRange range = RangeOf(application);
  const std::vector<Pause> pauses = TimesWithoutTasks(application, range);
  const WorkNames names = NamesOfWork(application);
  std::vector<std::pair<int64_t, size_t>> jobs;  // by submission time
  for (size_t row = 0; row < application.jobs.size(); ++row) {
    if (application.jobs[row].submit_ns > 0) jobs.emplace_back(application.jobs[row].submit_ns, row);
  }
  std::ranges::sort(jobs);
  DriverPauses sums;
  for (const Pause& pause : pauses) {
    const int64_t time_ns = pause.end_ns - pause.begin_ns;
    sums.all_ns += time_ns;
    // The first task of this job ends the pause.
    const auto next = std::upper_bound(jobs.begin(), jobs.end(), std::pair(pause.end_ns, SIZE_MAX));
    const bool is_last = pause.end_ns == range.end_ns;
    const std::string place = next == jobs.begin() ? std::string("before the first job")
                              : is_last            ? std::string("after the last task")
                                                   : "before " + names.jobs[std::prev(next)->second].line;
    sums.by_job[place] += time_ns;
  }
  sums.by_line = TimesOfDriver(application, [&](int64_t time_ns) { return IsInPause(pauses, time_ns); }).by_wall;
  return sums;
}

}  // namespace sparkprof
