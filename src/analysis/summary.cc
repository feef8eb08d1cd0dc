// SPDX-License-Identifier: Apache-2.0
#include "analysis/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "analysis/machines/losses.h"
#include "analysis/machines/series.h"
#include "analysis/python/driver_lines.h"
#include "analysis/selection/application_status.h"
#include "analysis/selection/known_parts.h"
#include "analysis/selection/selection.h"
#include "analysis/selection/threads.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/time_spent.h"
#include "analysis/time/timeline.h"
#include "base/saturate.h"
#include "base/share.h"
#include "base/text/text.h"
#include "model/samples/sample.h"
#include "profiles/frame_weights.h"

namespace sparkprof {
namespace {

// Assumed for recordings whose agents did not sum the cost of samples.
constexpr int64_t kTypicalFrames = 80;
constexpr size_t kStagesShown = 3;
constexpr size_t kFramesShown = 5;

std::string Count(int64_t count, std::string_view one, std::string_view many = {}) {
  const std::string plural = many.empty() ? fmt::format("{}s", one) : std::string(many);
  return fmt::format("{} {}", count, count == 1 ? one : std::string_view(plural));
}

std::string Shortened(std::string_view text, size_t length) { return Shorten(text.substr(0, text.find('\n')), length); }

// Shortens "org.apache.spark.sql.Dataset.collect" to "Dataset.collect".
std::string ShortName(std::string_view name) {
  const size_t method = name.rfind('.');
  if (method == std::string_view::npos || method == 0) return std::string(name);
  const size_t type = name.rfind('.', method - 1);
  return std::string(type == std::string_view::npos ? name : name.substr(type + 1));
}

std::string WhatRan(const Application& application) {
  std::vector<std::string> facts{application.name.empty() ? "unnamed application" : application.name, application.id};
  if (!application.spark_version.empty()) facts.push_back(fmt::format("Spark {}", application.spark_version));
  const bool is_excerpt = !MissingFromLogs(application).empty();
  const std::string duration = FormatDuration(RangeOf(application).Duration());
  facts.push_back(is_excerpt ? fmt::format("excerpt of {}", duration) : duration);
  const auto executors = static_cast<int64_t>(application.ExecutorCount());
  if (is_excerpt) {
    facts.push_back(executors == 0 ? "" : "at least " + Count(executors, "executor"));
  } else if (PartsKnownOf(application).executors) {
    facts.push_back(fmt::format("{}, {}", Count(executors, "executor"), Count(CoreCount(application), "core")));
  }
  facts.push_back(OutcomeInWords(application));
  std::erase(facts, "");
  return fmt::format("{}", fmt::join(facts, " · "));
}

std::string WorkDone(const Application& application) {
  const KnownParts known = PartsKnownOf(application);
  if (!known.tasks) return "unknown: the input has no jobs, stages or tasks";
  const auto failed_jobs =
      std::ranges::count_if(application.jobs, [](const Job& job) { return job.status == RunStatus::kFailed; });
  // Counts as in the tables of stages: a task runs again if its output was lost, although it did not fail.
  int64_t failed_tasks = 0, resubmitted = 0;
  for (const TaskOutcome outcome : application.tasks.outcome) failed_tasks += outcome == TaskOutcome::kFailed;
  for (const Stage& stage : application.stages) resubmitted += stage.resubmitted_tasks;
  std::vector<std::string> of_tasks;
  if (failed_tasks > 0) of_tasks.push_back(fmt::format("{} failed", failed_tasks));
  if (resubmitted > 0) of_tasks.push_back(fmt::format("{} ran again because their output was lost", resubmitted));
  std::string tasks = Count(static_cast<int64_t>(application.tasks.Size()), "task");
  if (!of_tasks.empty()) tasks += fmt::format(" ({})", fmt::join(of_tasks, ", "));
  const std::string stages = Count(static_cast<int64_t>(application.stages.size()), "stage");
  if (!known.jobs) return fmt::format("jobs unknown, at least {} and {}: no data from the driver", stages, tasks);
  return fmt::format("{}{}{}, {}, {}", MissingFromLogs(application).empty() ? "" : "at least ",
                     Count(static_cast<int64_t>(application.jobs.size()), "job"),
                     failed_jobs == 0 ? std::string() : fmt::format(" ({} failed)", failed_jobs), stages, tasks);
}

// The work of a stage gets more space on the line than the place that started it.
std::string ShortNameOf(const WorkName& stage) {
  constexpr size_t kMostOfLine = 40;
  constexpr size_t kMostOfWork = 72;
  return Shortened(stage.Text(), stage.work.empty() ? kMostOfLine : kMostOfWork);
}

std::string StagesByCpu(const Application& application, const WorkNames& names,
                        const std::vector<StageSummary>& stages) {
  // Without CPU samples, Spark's own counter sorts the stages.
  const bool sampled = std::ranges::any_of(stages, [](const auto& s) { return s.cpu_samples_ns > 0; });
  const auto cpu = [&](size_t row) {
    return sampled ? stages[row].cpu_samples_ns : stages[row].Total(TaskMetric::kExecutorCpuTime);
  };
  int64_t total = 0;
  std::vector<size_t> order(stages.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (const size_t row : order) total += cpu(row);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return cpu(a) > cpu(b); });
  std::vector<std::string> texts;
  for (const size_t row : order) {
    if (texts.size() == kStagesShown || cpu(row) == 0) break;
    const Stage& stage = application.stages[row];
    texts.push_back(fmt::format("{}.{} {} {} ({})", stage.id, stage.attempt, ShortNameOf(names.stages[row]),
                                FormatDuration(cpu(row)), FormatShare(Share(cpu(row), total))));
  }
  return fmt::format("{}", fmt::join(texts, " · "));
}

std::string StagesByTime(const Application& application, const WorkNames& names) {
  const int64_t duration_ns = RangeOf(application).Duration();
  std::vector<std::pair<int64_t, size_t>> stages;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    const Stage& stage = application.stages[row];
    if (stage.submit_ns > 0 && stage.end_ns > stage.submit_ns) stages.emplace_back(stage.end_ns - stage.submit_ns, row);
  }
  std::ranges::stable_sort(stages, [](const auto& a, const auto& b) { return a.first > b.first; });
  if (stages.size() > kStagesShown) stages.resize(kStagesShown);
  std::vector<std::string> texts;
  for (const auto& [stage_ns, row] : stages) {
    const Stage& stage = application.stages[row];
    std::string text =
        fmt::format("{}.{} {} {}", stage.id, stage.attempt, ShortNameOf(names.stages[row]), FormatDuration(stage_ns));
    if (MissingFromLogs(application).empty()) text += fmt::format(" ({})", FormatShare(Share(stage_ns, duration_ns)));
    texts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(texts, " · "));
}

std::string ConcurrencyLine(const Application& application) {
  if (application.tasks.Size() == 0 || !MissingFromLogs(application).empty()) return {};
  const ConcurrencyProfile profile = ProfileOf(application);
  const int64_t idle_ns = profile.time_at_ns.front();
  return fmt::format("up to {} at once, {:.1f} on average, none for {} ({})", Count(profile.peak, "task"), profile.mean,
                     FormatDuration(idle_ns), FormatShare(Share(idle_ns, RangeOf(application).Duration())));
}

std::string FrameList(const Profile& profile, const std::vector<const Sample*>& samples, size_t limit) {
  int64_t total = 0;
  const Functions functions(profile);
  std::vector<FunctionWeight> weights(functions.Size());
  for (uint32_t function = 0; function < weights.size(); ++function) weights[function].function = function;
  for (const Sample* const sample : samples) {
    AddSaturated(sample->weight, &total);
    if (sample->stack != 0)
      AddSaturated(sample->weight, &weights[functions.Of(profile.stacks.Get(sample->stack).frame)].self);
  }
  std::vector<std::string> texts;
  for (const FunctionWeight& weight : TopFunctions(std::move(weights), limit)) {
    const Frame& function = functions.Get(weight.function);
    const bool is_java = function.kind == FrameKind::kJit || function.kind == FrameKind::kInterpreted ||
                         function.kind == FrameKind::kInlined;
    const std::string label = FrameLabel(profile.strings, function);
    texts.push_back(fmt::format("{} {}", is_java ? ShortName(label) : label, FormatShare(Share(weight.self, total))));
  }
  return fmt::format("{}", fmt::join(texts, " · "));
}

std::string TimeLine(const Application& application) {
  const TimeSpent spent = SplitTime(application);
  constexpr double kWorthShowing = 0.005;
  std::vector<std::string> texts;
  double other = 0;
  for (const TimePart& part : spent.parts) {
    if (Share(part.ns, spent.core_time_ns) < kWorthShowing) {
      other += part.share;
    } else {
      texts.push_back(fmt::format("{} {}{}", part.name, part.estimate ? "about " : "", FormatShare(part.share)));
    }
  }
  if (texts.empty()) return {};
  if (other > 0) texts.push_back(fmt::format("other {}", FormatShare(other)));
  return fmt::format("{} of core time: {}", FormatDuration(spent.core_time_ns), fmt::join(texts, ", "));
}

// Counts each sample of JVM and Python once. Prefers frames of tasks: startup and compilation of the JVM are rarely of
// interest.
std::string TopFramesLine(const Application& application) {
  Selection on_cpu;
  on_cpu.event = EventName(Event::kCpu);
  const auto rows = SelectSamples(application, on_cpu);
  if (!rows) return {};
  std::vector<const Sample*> all;
  for (const uint32_t row : *rows) all.push_back(&application.profile.samples[row]);
  const EventId cpu = application.profile.Row(Event::kCpu);
  for (const Sample& sample : application.python_samples) {
    if (sample.event == cpu) all.push_back(&sample);
  }
  std::vector<const Sample*> of_tasks;
  std::ranges::copy_if(all, std::back_inserter(of_tasks), [](const Sample* sample) { return sample->task != 0; });
  const std::string frames = FrameList(application.profile, of_tasks.empty() ? all : of_tasks, kFramesShown);
  return of_tasks.empty() || frames.empty() ? frames : frames + " (of the CPU time of tasks)";
}

// Over all events, as the page counts them.
Coverage SumOfCoverage(const Application& application) {
  Coverage sum;
  for (const Coverage& of_event : application.coverage) {
    sum.count += of_event.count;
    sum.on_task_threads += of_event.on_task_threads;
    sum.joined += of_event.joined;
    sum.lost += of_event.lost;
  }
  return sum;
}

std::string CoverageLine(const Coverage& coverage) {
  std::string line = fmt::format("{} samples", coverage.count);
  if (coverage.on_task_threads > 0) {
    line +=
        fmt::format(", {} on task threads: {} attributed to their task ({}), {} not", coverage.on_task_threads,
                    std::min(coverage.joined, coverage.on_task_threads),
                    FormatShare(Share(std::min(coverage.joined, coverage.on_task_threads), coverage.on_task_threads)),
                    std::max<int64_t>(0, coverage.on_task_threads - coverage.joined));
  }
  return line + fmt::format("; {} lost", coverage.lost);
}

// Threads of the plugin and the sampler, by their truncated kernel names ("sparkprof-sessi", "sparkpr..ession").
int64_t CpuOfPluginThreads(const Application& application) {
  constexpr std::string_view kPluginThreads[] = {"thread.sparkprof", "thread.sparkpr..", "thread.Async-profiler",
                                                 "thread.Async-p.."};
  double cpu_ns = 0;
  for (const ApplicationSeries& series : application.series) {
    const std::string_view name = series.name;
    const bool is_own = name.ends_with(".cpu_ns") && std::ranges::any_of(kPluginThreads, [&](std::string_view own) {
                          return name.starts_with(own);
                        });
    if (is_own) cpu_ns += Growth(series);
  }
  return static_cast<int64_t>(cpu_ns);
}

// Formats "0.7 s in the agent, 0.9 s in the plugin, 0.3 s in sparkprof run, about 0.4 s for samples: 1.6% of 2 m 25 s".
std::string CostInWords(const ProfilingCost& cost, int64_t processes_ns) {
  std::string text = fmt::format("{} in the agent", FormatDuration(cost.agent_ns));
  if (cost.plugin_ns > 0) text += fmt::format(", {} in the plugin", FormatDuration(cost.plugin_ns));
  if (cost.run_ns > 0) text += fmt::format(", {} in sparkprof run", FormatDuration(cost.run_ns));
  text += fmt::format(", about {} for samples: {} of {} of CPU time", FormatDuration(cost.profiler_ns),
                      FormatShare(Share(cost.Sum(), processes_ns)), FormatDuration(processes_ns));
  return text + "; not measurable here: additional JIT compilation, and hooks where threads start and classes load";
}

int64_t CostOfSamples(const Profile& profile) {
  const EventId cpu = profile.Row(Event::kCpu), wall = profile.Row(Event::kWall);
  int64_t cost_ns = 0;
  for (const Sample& sample : profile.samples) {
    const Event event = sample.event == cpu ? Event::kCpu : sample.event == wall ? Event::kWall : Event::kAlloc;
    cost_ns += sample.count * SamplingCostNs(event, sample.state, kTypicalFrames);
  }
  return cost_ns;
}

// Formats "142 samples; their time is unknown".
std::string CountedCpu(const Profile& profile) {
  const EventId cpu = profile.Row(Event::kCpu);
  int64_t count = 0;
  for (const Sample& sample : profile.samples) {
    if (sample.event == cpu) count += sample.count;
  }
  return count == 0 ? "" : fmt::format("{} samples; their time is unknown", count);
}

// Formats ", 85.0% of it for stage 3.0": the largest allocator; empty if allocations were not sampled.
std::string MostGarbage(const CpuOwners& owners, int64_t garbage_collection_ns) {
  const CpuOwner* most = nullptr;
  for (const CpuOwner& owner : owners.owners) {
    if (owner.garbage_ns > (most == nullptr ? 0 : most->garbage_ns)) most = &owner;
  }
  if (most == nullptr) return {};
  return fmt::format(", {} of it for {}", FormatShare(Share(most->garbage_ns, garbage_collection_ns)), most->name);
}

// Formats "tasks 24.1%, driver 30.2%, background 45.7% (JIT compiler 30.1%, garbage collection 3.2%, …)".
std::string OwnersInWords(const CpuOwners& owners) {
  constexpr size_t kMaxNamed = 3;
  if (owners.processes_ns <= 0 || owners.owners.empty()) return {};
  int64_t all_ns = 0;
  for (const CpuOwner& owner : owners.owners) all_ns += owner.cpu_ns;
  const auto share = [&](int64_t cpu_ns) { return FormatShare(Share(cpu_ns, all_ns)); };
  std::vector<std::string> named;
  for (const CpuOwner& owner : owners.owners) {
    if (owner.kind == OwnerKind::kBackground && named.size() < kMaxNamed)
      named.push_back(fmt::format("{} {}{}", owner.name, share(owner.cpu_ns),
                                  owner.name == kGarbageCollection ? MostGarbage(owners, owner.cpu_ns) : ""));
  }
  std::string text = fmt::format("tasks {}, driver {}", share(owners.SumOf(OwnerKind::kTask)),
                                 share(owners.SumOf(OwnerKind::kDriver)));
  if (const int64_t background_ns = owners.SumOf(OwnerKind::kBackground); background_ns > 0)
    text += fmt::format(", background {} ({})", share(background_ns), fmt::join(named, ", "));
  return text +
         fmt::format("; {} of the processes' {}", FormatShare(owners.Share()), FormatDuration(owners.processes_ns));
}

}  // namespace

ProfilingCost CostOf(const Application& application) {
  ProfilingCost cost;
  const auto sum = [&](std::string_view series) {
    return static_cast<int64_t>(GrowthOf(application, series, [](std::string_view) { return true; }));
  };
  cost.agent_ns = sum("agent.cpu_ns");
  cost.plugin_ns = sum("plugin.cpu_ns") + CpuOfPluginThreads(application);
  cost.run_ns = sum("run.cpu_ns");
  cost.profiler_ns = sum("sampler.cpu_ns");
  if (cost.profiler_ns == 0) cost.profiler_ns = CostOfSamples(application.profile);
  cost.processes_ns = static_cast<int64_t>(
      GrowthOf(application, "process.cpu_ns", [](std::string_view role) { return role != "agent"; }));
  return cost;
}

CpuShares SharesOfCpu(const Application& application, const std::vector<StackKind>& kinds) {
  const std::vector<ThreadKind> threads = KindsOfThreads(application);
  CpuShares shares;
  const EventId cpu = application.profile.Row(Event::kCpu);
  // If samples were only counted, their time is unknown.
  if (cpu >= application.profile.events.size() || application.profile.events[cpu].unit != "ns") return shares;
  for (const Sample& sample : application.profile.samples) {
    if (sample.event != cpu) continue;
    const ThreadKind thread = threads[sample.thread];
    shares.total += sample.weight;
    if (thread == ThreadKind::kGc || kinds[sample.stack] == StackKind::kGc) {
      shares.gc += sample.weight;
    } else if (thread == ThreadKind::kJit || kinds[sample.stack] == StackKind::kJit) {
      shares.jit += sample.weight;
    }
  }
  return shares;
}

std::vector<std::string> SummaryLines(const Application& application, const std::vector<StackKind>& kinds,
                                      const std::vector<StageSummary>& stages, const WorkNames& names,
                                      const CpuOwners& owners) {
  std::vector<std::string> lines{WhatRan(application)};
  const auto add = [&](std::string_view label, const std::string& text) {
    if (!text.empty()) lines.push_back(fmt::format("{:<15}{}", label, text));
  };
  if (application.is_node) {
    add("Processes", fmt::format("{} recorded; `sparkprof show processes` prints them", application.processes.size()));
  } else if (!application.is_foreign) {
    add("Work", WorkDone(application));
  }
  add("Where it went", TimeLine(application));

  const CpuShares cpu = SharesOfCpu(application, kinds);
  const int64_t python_ns = PythonCpu(application);
  if (cpu.total > 0 && application.is_foreign) add("CPU", FormatDuration(cpu.total));
  if (cpu.total == 0 && application.is_foreign) add("CPU", CountedCpu(application.profile));
  if (cpu.total > 0 && !application.is_foreign) {
    // The owners below share the processes' CPU time: samples alone miss the start, and have other shares.
    const bool has_owners = owners.processes_ns > 0 && !owners.owners.empty();
    const std::string shares = has_owners ? std::string()
                                          : fmt::format(" (GC {}, JIT {})", FormatShare(Share(cpu.gc, cpu.total)),
                                                        FormatShare(Share(cpu.jit, cpu.total)));
    add("CPU", fmt::format("{} sampled in the JVM{}{}", FormatDuration(cpu.total), shares,
                           python_ns > 0 ? fmt::format(", {} in Python processes", FormatDuration(python_ns)) : ""));
  }
  if (!application.is_foreign) add("CPU by owner", OwnersInWords(owners));
  add("Driver script", DriverProgramsInWords(application));
  const PythonWait wait = PythonWaitOf(stages);
  if (wait.all_ns > 0) {
    const std::vector<double> shares = SharesAddingUp({wait.wait_ns, wait.all_ns - wait.wait_ns});
    add("Task time", fmt::format("{} waiting for Python, {} in the JVM (of {} of wall-clock samples of all tasks)",
                                 FormatShare(shares[0]), FormatShare(shares[1]), FormatDuration(wait.all_ns)));
  }
  add("Stages by time", StagesByTime(application, names));
  add("Stages by CPU", StagesByCpu(application, names, stages));
  add("Concurrency", ConcurrencyLine(application));
  add("Top frames", TopFramesLine(application));
  if (!application.coverage.empty()) add("Coverage", CoverageLine(SumOfCoverage(application)));
  add("Lost", LossesInWords(application));
  const ProfilingCost cost = CostOf(application);
  if (cost.agent_ns > 0 && cost.processes_ns > 0) {
    add("Overhead", CostInWords(cost, std::max(cost.processes_ns, owners.processes_ns)));
  }
  return lines;
}

}  // namespace sparkprof
