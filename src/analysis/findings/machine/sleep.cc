// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/stage_tasks.h"
#include "analysis/findings/streams/stream_pace.h"
#include "analysis/selection/stack_kinds.h"
#include "analysis/time/stage_summary.h"

namespace sparkprof {
namespace {

constexpr double kMuchSleeping = 0.5;        // share of run time
constexpr double kMuchInOneLine = 0.3;       // run time in one line of Python: a lock lets one of two tasks compute
constexpr double kMuchUnknownWaiting = 0.4;  // share of run time, without samples
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
      if (Contains(name, package)) return true;
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
    const auto by_samples = Scaled(run_ns, Share(sleep_ns, summary.wall_samples_ns));
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
  const int64_t span_ns = TaskSpan(input, summary).Duration();
  const double cores = Share(summary.Total(TaskMetric::kExecutorCpuTime), span_ns);
  const bool at_once = Share(summary.Total(TaskMetric::kDuration), span_ns) > 2 * kAlmostOneCore;
  if (!at_once || cores < kAlmostOneCore || cores > kOneCore) return {};
  return fmt::format("; together the tasks use {:.1f} cores, as if one lock let them compute one at a time", cores);
}

// True if tasks wait in a call of Spark's own code, which cannot be removed.
bool WaitsInSpark(const std::vector<std::string>& places) {
  return !places.empty() && std::ranges::all_of(places, [](const std::string& place) {
    return Contains(place, " below org.apache.spark.");
  });
}

int64_t WaitInPython(const PythonWork& work, const StageSummary& summary) {
  const double waits = summary.wall_samples_ns > 0 ? PythonWaitOf(summary).Share() : 1;
  return static_cast<int64_t>(static_cast<double>(RunTime(summary)) * waits * Share(work.sleep_ns, work.wall_ns));
}

// True if the Python code waits in a single line.
bool WaitsInOneLine(const PythonWork& work) {
  constexpr double kAlmostAll = 0.9;
  return !work.by_sleep.empty() && Share(work.by_sleep.front().idle_ns, work.sleep_ns) >= kAlmostAll;
}

constexpr double kMostlyAsleep = 0.5;  // share of samples of task threads
constexpr double kAlmostIdle = 0.1;    // cores used by a Python worker
constexpr size_t kLinesNamed = 3;
constexpr std::string_view kTaskThread = "Executor task launch worker";

struct SleepingPlaces {
  int64_t sleep_ns = 0;
  int64_t all_ns = 0;
  std::vector<WaitPlace> places;  // longest first
};

bool HasFrame(const Profile& profile, StackId stack, std::string_view name) {
  for (; stack != 0; stack = profile.stacks.Get(stack).parent) {
    if (profile.strings.Get(profile.frames.Get(profile.stacks.Get(stack).frame).name) == name) return true;
  }
  return false;
}

// Wall time per stack over the threads with this name prefix; an empty prefix selects all samples.
std::unordered_map<StackId, int64_t> WallByStack(const Profile& profile, std::string_view prefix) {
  const EventId wall = profile.Row(Event::kWall);
  std::vector<bool> is_wanted;  // indexed by thread
  for (const auto& thread : profile.threads) is_wanted.push_back(std::string_view(thread.name).starts_with(prefix));
  std::unordered_map<StackId, int64_t> by_stack;
  for (const Sample& sample : profile.samples) {
    if (sample.event == wall && (prefix.empty() || is_wanted[sample.thread])) by_stack[sample.stack] += sample.weight;
  }
  return by_stack;
}

SleepingPlaces InJvms(const FindingInput& input) {
  const Profile& profile = input.application.profile;
  SleepingPlaces found;
  std::map<StackId, int64_t> by_stack;
  for (const auto& [stack, weight] : WallByStack(profile, kTaskThread)) {
    found.all_ns += weight;
    if (!HasFrame(profile, stack, "java.lang.Thread.sleep")) continue;
    found.sleep_ns += weight;
    by_stack[stack] = weight;
  }
  found.places = PlacesOf(input.application, by_stack);
  return found;
}

// Finds the user's innermost line of Python in stacks. Stacks share most frames, so each frame is classified once.
class UserLines {
 public:
  explicit UserLines(const Profile& profile) : profile_(profile), origins_(profile.frames.Size()) {}

  std::string Of(StackId stack) {
    for (; stack != 0; stack = profile_.stacks.Get(stack).parent) {
      const FrameId id = profile_.stacks.Get(stack).frame;
      const FrameOrigin origin = Origin(id);
      if (origin == FrameOrigin::kSpark) return {};
      const Frame& frame = profile_.frames.Get(id);
      if (frame.kind == FrameKind::kPython && origin == FrameOrigin::kUser) return FrameLabel(profile_.strings, frame);
    }
    return {};
  }

 private:
  FrameOrigin Origin(FrameId id) {
    if (!origins_[id]) {
      const Frame& frame = profile_.frames.Get(id);
      origins_[id] = OriginOf(profile_.strings.Get(frame.name), profile_.strings.Get(frame.file), frame.kind);
    }
    return *origins_[id];
  }

  const Profile& profile_;
  std::vector<std::optional<FrameOrigin>> origins_;  // indexed by frame
};

// True if the function is named after sleeping: "secondsSleep (helper.py:44)".
bool IsCalledSleep(std::string_view line) {
  return ToLowerAscii(line.substr(0, line.find(' '))).find("sleep") != std::string::npos;
}

// Places in Python workers that use almost no CPU; without a series of CPU usage, functions whose names say that they
// sleep.
SleepingPlaces InPython(const FindingInput& input, const PythonLoad& load) {
  const Profile& profile = input.application.profile;
  SleepingPlaces found;
  const bool is_known = load.span_ns > 0;
  if (is_known && load.cores > kAlmostIdle) return found;
  std::map<std::string, int64_t> by_line;
  UserLines lines(profile);
  for (const auto& [stack, weight] : WallByStack(profile, "")) {
    const std::string line = lines.Of(stack);
    if (line.empty()) continue;
    found.all_ns += weight;
    if (!is_known && !IsCalledSleep(line)) continue;
    found.sleep_ns += weight;
    by_line[line] += weight;
  }
  for (const auto& [line, weight] : by_line) found.places.push_back({line, weight});
  std::ranges::stable_sort(found.places, std::greater(), &WaitPlace::weight_ns);
  if (is_known && found.all_ns == 0) found.all_ns = found.sleep_ns = load.span_ns;
  return found;
}

// The time of the application's tasks from its stages, otherwise from their samples.
int64_t TimeOfTasks(const FindingInput& input, int64_t sampled_ns) {
  int64_t time_ns = 0;
  for (const StageSummary& stage : input.stages) time_ns += TaskSpan(input, stage).Duration();
  return std::min(input.duration_ns, time_ns > 0 ? time_ns : sampled_ns);
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

std::optional<Finding> FindSleepInRecords(const FindingInput& input) {
  // FindSleep handles samples that belong to tasks.
  const bool has_stages = std::ranges::any_of(input.stages, [](const StageSummary& stage) {
    return stage.Total(TaskMetric::kExecutorRunTime) > 0 || !stage.python_samples.empty();
  });
  if (has_stages) return std::nullopt;
  const PythonLoad load = LoadOfPython(input.application);
  const SleepingPlaces python = InPython(input, load), jvms = InJvms(input);
  const bool is_python = python.sleep_ns > jvms.sleep_ns;
  const SleepingPlaces& found = is_python ? python : jvms;
  const double share = Share(found.sleep_ns, found.all_ns);
  if (found.sleep_ns < kWorthwhileNs || share < kMostlyAsleep) return std::nullopt;
  Finding finding;
  for (const WaitPlace& place : found.places) {
    if (finding.frames.size() < kLinesNamed && Share(place.weight_ns, found.sleep_ns) >= 0.1)
      finding.frames.push_back(place.text);
  }
  if (!is_python) {
    finding.title = fmt::format("Task threads sleep for {} of their samples", FormatShare(share));
    finding.what = fmt::format("Task threads were in Thread.sleep for {} of {} of samples",
                               FormatDuration(found.sleep_ns), FormatDuration(found.all_ns));
  } else if (load.span_ns > 0) {
    finding.title = fmt::format("Python workers use {} of a core: they sleep or wait", FormatShare(load.cores));
    finding.what = fmt::format("The Python workers used {} of a core while they ran", FormatShare(load.cores));
  } else {
    finding.title = fmt::format("Python workers sleep for {} of their samples", FormatShare(share));
    finding.what =
        fmt::format("The Python workers were in functions called sleep for {} of their samples", FormatShare(share));
  }
  if (!finding.frames.empty()) finding.evidence = fmt::format("Waits in {}", fmt::join(finding.frames, ", "));
  finding.condition = fmt::format(
      "In records without task metrics: task threads are in Thread.sleep, or Python workers in functions called sleep, "
      "for at least {} of their samples; or Python workers use at most {} of a core",
      FormatShare(kMostlyAsleep), FormatShare(kAlmostIdle));
  finding.selection.event = EventName(Event::kWall);
  finding.change =
      "Remove the sleep; or request many records at once from the remote service (mapPartitions, a pool of threads), "
      "or run more tasks at once";
  const int64_t sampled_ns = is_python && load.span_ns > 0 ? load.span_ns : input.duration_ns;
  finding.claim = ClaimWall(Scaled(TimeOfTasks(input, sampled_ns), share), kWhole);
  return finding;
}

}  // namespace sparkprof
