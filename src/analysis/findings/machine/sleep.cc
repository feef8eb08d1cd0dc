// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "analysis/findings/advice.h"
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/stage_tasks.h"
#include "analysis/findings/streams/stream_pace.h"
#include "analysis/selection/stack_kinds.h"
#include "analysis/time/python_wait.h"
#include "analysis/time/time_spent.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr double kMuchSleeping = 0.5;                    // share of run time
constexpr double kMuchInOneLine = 0.3;                   // of Python: with a lock, one of two tasks computes
constexpr double kMuchUnknownWaiting = 0.4;              // share of run time, without samples
constexpr int64_t kLongUnknownNs = 2 * kNanosPerSecond;  // shorter waits may be for a core during JVM warm-up
constexpr double kMuchOfDuration = 0.02;                 // shorter stages without samples are not worth profiling
constexpr double kCertainWaiting = 0.95;  // share of run time: even on a busy host, tasks get more of the CPU
constexpr size_t kPlacesShown = 3;

// True if a stack is inside a streaming query's state store, which writes checkpoints and asks the driver;
// FindSlowStateStores reports it.
bool IsInStateStore(const Profile& profile, StackId stack) {
  for (; stack != 0; stack = profile.stacks.Get(stack).parent) {
    const Frame& frame = profile.frames.Get(profile.stacks.Get(stack).frame);
    const std::string_view name = profile.strings.Get(frame.name);
    for (const std::string_view package : {".execution.streaming.state.", ".execution.streaming.checkpointing."})
      if (name.find(package) != std::string_view::npos) return true;
  }
  return false;
}

// Time for which a stage's tasks sleep or wait in the JVM, except for Python and state stores.
struct WaitsInJvm {
  std::map<StackId, int64_t> by_stack;
  int64_t in_state_stores_ns = 0;
};

WaitsInJvm WaitsOf(const FindingInput& input, const StageSummary& summary) {
  WaitsInJvm waits;
  const Profile& profile = input.application.profile;
  const EventId wall = profile.Row(Event::kWall);
  for (const uint32_t row : summary.samples) {
    const Sample& sample = profile.samples[row];
    if (sample.event != wall || sample.state == ThreadState::kRunning) continue;
    const StackKind kind = input.kinds[sample.stack];
    if (kind == StackKind::kPythonWait || kind == StackKind::kPythonStart || kind == StackKind::kVmWait) continue;
    if (kind == StackKind::kEngineWait) continue;
    waits.by_stack[sample.stack] += sample.weight;
  }
  std::erase_if(waits.by_stack, [&](const auto& one) {
    const bool is_in_store = IsInStateStore(profile, one.first);
    if (is_in_store) waits.in_state_stores_ns += one.second;
    return is_in_store;
  });
  return waits;
}

// True if a stage of a batch loads and commits state, which event logs do not distinguish from other waits.
bool HasState(const Application& application, const Stage& stage) {
  const StreamingBatch* const batch = BatchTimes(application).At(stage.submit_ns);
  return batch != nullptr && !batch->state_metrics.empty();
}

// Run time of the tasks; text logs have only their duration.
int64_t RunTime(const StageSummary& summary) {
  const int64_t run_ns = summary.Total(TaskMetric::kExecutorRunTime);
  return run_ns > 0 ? run_ns : summary.Total(TaskMetric::kDuration);
}

// Run time in which tasks neither computed in the JVM nor waited for anything covered by Spark's metrics or another
// rule. Runnable time without a core is not a wait: use wall-clock samples if available.
int64_t WaitInJvm(const StageSummary& summary, const WaitsInJvm& waits) {
  const int64_t run_ns = RunTime(summary);
  if (summary.wall_samples_ns > 0) {
    const int64_t sleep_ns = std::max<int64_t>(0, summary.sleep_ns - summary.lock_ns - waits.in_state_stores_ns);
    const auto by_samples =
        static_cast<int64_t>(static_cast<double>(run_ns) * Share(sleep_ns, summary.wall_samples_ns));
    if (summary.Total(TaskMetric::kExecutorRunTime) == 0) return by_samples;
    return std::min(by_samples, run_ns - summary.Total(TaskMetric::kExecutorCpuTime));
  }
  if (summary.Total(TaskMetric::kExecutorRunTime) == 0) return 0;
  return run_ns - summary.Total(TaskMetric::kExecutorCpuTime) - summary.Total(TaskMetric::kGcTime) -
         summary.Total(TaskMetric::kShuffleFetchWait) - summary.Total(TaskMetric::kShuffleWriteTime);
}

// True for waits that are not worth profiling: the stage is short, or its tasks wait only at their start.
bool IsShortWait(const FindingInput& input, const StageSummary& summary) {
  if (summary.wall_ns < kLongUnknownNs || Share(summary.wall_ns, input.duration_ns) < kMuchOfDuration) return true;
  const Tasks& tasks = input.application.tasks;
  return IsOfStart(input, summary, [&](uint32_t task) {
    return std::max<int64_t>(0, tasks.Column(TaskMetric::kExecutorRunTime)[task] -
                                    tasks.Column(TaskMetric::kExecutorCpuTime)[task] -
                                    tasks.Column(TaskMetric::kGcTime)[task]);
  });
}

// The likely cause of a wait by the CPU time of tasks: among tasks that wait for one lock, one computes.
std::string HintOfCpu(const FindingInput& input, const StageSummary& summary) {
  constexpr double kOneCore = 1.1, kAlmostOneCore = 0.75;
  int64_t begin_ns = 0, end_ns = 0;
  const int64_t span_ns = TaskSpan(input, summary, &begin_ns, &end_ns);
  const double cores = Share(summary.Total(TaskMetric::kExecutorCpuTime), span_ns);
  const bool at_once = Share(summary.Total(TaskMetric::kDuration), span_ns) > 2 * kAlmostOneCore;
  if (!at_once || cores < kAlmostOneCore || cores > kOneCore) return {};
  return fmt::format("; together the tasks use {:.1f} cores, as if one lock let them compute one at a time", cores);
}

// True if tasks wait in a call of Spark's own code, which cannot be removed.
bool WaitsInSpark(const std::vector<std::string>& places) {
  return !places.empty() && std::all_of(places.begin(), places.end(), [](const std::string& place) {
    return place.find(" below org.apache.spark.") != std::string::npos;
  });
}

// Run time in which the JVM waits for a sleeping line of Python.
int64_t WaitInPython(const PythonWork& work, const StageSummary& summary) {
  const double waits = summary.wall_samples_ns > 0 ? PythonWaitOf(summary).Share() : 1;
  return static_cast<int64_t>(static_cast<double>(RunTime(summary)) * waits * Share(work.sleep_ns, work.wall_ns));
}

// True if the Python code waits in a single line.
bool WaitsInOneLine(const PythonWork& work) {
  constexpr double kAlmostAll = 0.9;
  return !work.by_sleep.empty() && Share(work.by_sleep.front().idle_ns, work.sleep_ns) >= kAlmostAll;
}

}  // namespace

std::optional<Finding> FindSleep(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const PythonWork work = WorkOfPython(input.application, summary);
  // Fewer samples are not worth scanning.
  const bool may_sleep = Share(summary.sleep_ns, summary.wall_samples_ns) >= kMuchSleeping / 2;
  const WaitsInJvm waits = may_sleep ? WaitsOf(input, summary) : WaitsInJvm();
  const int64_t run_ns = RunTime(summary), jvm_ns = WaitInJvm(summary, waits);
  const int64_t python_ns = WaitInPython(work, summary);
  const int64_t wait_ns = jvm_ns + python_ns;
  const bool sampled = summary.wall_samples_ns > 0 || work.wall_ns > 0;
  if (wait_ns < (sampled ? kWorthwhileNs : kLongUnknownNs)) return std::nullopt;
  const bool is_of_line = python_ns > jvm_ns && WaitsInOneLine(work);
  const double much = is_of_line ? kMuchInOneLine : sampled ? kMuchSleeping : kMuchUnknownWaiting;
  if (Share(wait_ns, run_ns) < much) return std::nullopt;
  if (!sampled && !HasCpuTime(input.application)) return std::nullopt;
  // FindPythonBoundStages handles it: whether Python computes or sleeps is unknown.
  if (!sampled && UsesPython(input.application, stage, summary)) return std::nullopt;
  // The stage of an RDD does not always mention Python.
  if (!sampled && stage.sql_execution < 0 && IsPythonProgram(input.application)) return std::nullopt;
  // A GPU or a native engine may compute.
  if (!sampled && RunsOnOtherEngine(input.application, stage)) return std::nullopt;
  if (!sampled && (IsShortWait(input, summary) || HasState(input.application, stage))) return std::nullopt;
  Finding finding;
  const std::string share = FormatShare(Share(wait_ns, run_ns));
  // Without samples, only the CPU time is certain: on a busy machine, tasks also wait for a core.
  constexpr double kLeastShown = 0.001;
  const double used = Share(summary.Total(TaskMetric::kExecutorCpuTime), run_ns);
  const std::string used_text =
      used < kLeastShown ? "less than " + FormatShare(kLeastShown) : "only " + FormatShare(used);
  finding.title = sampled ? fmt::format("Stage {}: tasks sleep or wait for {} of their run time", stage.id, share)
                          : fmt::format("Stage {}: tasks use a CPU for {} of their run time", stage.id, used_text);
  finding.what = sampled ? fmt::format("Tasks of {} waited for {} of {} run time", StageText(input, stage), share,
                                       FormatDuration(run_ns))
                         : fmt::format("Tasks of {} used a CPU for {} of {} run time", StageText(input, stage),
                                       used_text, FormatDuration(run_ns));
  finding.evidence = fmt::format("CPU time {}", FormatDuration(summary.Total(TaskMetric::kExecutorCpuTime)));
  finding.condition = fmt::format(
      "For at least {} of their run time ({} in one line of Python) and at least {}, tasks and their Python workers do "
      "not use the CPU and do not wait for garbage collection, locks or the shuffle; without samples, tasks for at "
      "least {} and {}, not only as "
      "they start, in a stage that takes as long and at least {} of the duration",
      FormatShare(kMuchSleeping), FormatShare(kMuchInOneLine), FormatDuration(kWorthwhileNs),
      FormatShare(kMuchUnknownWaiting), FormatDuration(kLongUnknownNs), FormatShare(kMuchOfDuration));
  finding.selection = SelectStage(stage, Event::kWall);
  if (python_ns > jvm_ns) {
    for (const PythonLine& line : work.by_sleep) {
      if (finding.frames.size() < kPlacesShown && Share(line.idle_ns, work.sleep_ns) >= 0.1)
        finding.frames.push_back(line.text);
    }
  } else {
    for (const WaitPlace& place : PlacesOf(input.application, waits.by_stack)) {
      if (finding.frames.size() < kPlacesShown && Share(place.weight_ns, summary.sleep_ns) >= 0.1)
        finding.frames.push_back(place.text);
    }
  }
  if (!sampled) finding.evidence += "; the rest is neither GC nor shuffle" + HintOfCpu(input, summary);
  if (!finding.frames.empty()) finding.evidence += fmt::format("; waits in {}", fmt::join(finding.frames, ", "));
  // These are not lines of the program; the stage's line is.
  const bool waits_in_spark = WaitsInSpark(finding.frames);
  if (waits_in_spark) finding.frames.clear();
  finding.change =
      !sampled
          ? "Profile the job with `sparkprof run --event cpu,wall`: only samples show whether tasks sleep, wait for a "
            "lock, a disk or a remote service, or for a free core, and in which line"
      : waits_in_spark
          ? "Spark itself waits: the stage's wall-clock flame graph shows whether for a disk, a file system or a "
            "service. Make that faster, or run more tasks at once"
          : std::string(is_of_line ? "If the line takes a lock, compute before it and hold the lock only to write. "
                                   : "") +
                "Remove the sleep; try again only after errors that may pass (a timeout, 429, 5xx), not after final "
                "answers; or request many records at once from the remote service (mapPartitions, a pool of threads), "
                "or run more tasks at once";
  // Logs do not distinguish sleep from slow storage, which may stay slow, or from a host that was busy temporarily.
  if (sampled) {
    finding.claim =
        ClaimTasks(input, summary, wait_ns, kWhole, python_ns > jvm_ns ? AccountPart::kPython : AccountPart::kSleep);
  } else if (Share(wait_ns, run_ns) >= kCertainWaiting) {
    finding.claim = ClaimTasks(input, summary, wait_ns, kSome, AccountPart::kOtherWait);
  }
  return finding;
}

}  // namespace sparkprof
