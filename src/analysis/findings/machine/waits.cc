// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/machines/neighbors.h"
#include "analysis/machines/series.h"
#include "analysis/selection/stack_kinds.h"
#include "analysis/selection/threads.h"

namespace sparkprof {
namespace {

// True if code outside Spark and the JDK waits: the innermost function, above the leaf, which is the class of the lock.
bool IsOutsideSpark(const Profile& profile, StackId stack) {
  for (stack = profile.stacks.Get(stack).parent; stack != 0; stack = profile.stacks.Get(stack).parent) {
    const Frame& frame = profile.frames.Get(profile.stacks.Get(stack).frame);
    const FrameOrigin origin = OriginOf(profile.strings.Get(frame.name), profile.strings.Get(frame.file), frame.kind);
    if (frame.kind == FrameKind::kNative || frame.kind == FrameKind::kKernel || origin == FrameOrigin::kJdk) continue;
    return origin == FrameOrigin::kUser || origin == FrameOrigin::kLibrary;
  }
  return false;
}

struct LockWaits {
  int64_t total_ns = 0;
  std::vector<WaitPlace> places;  // longest waits first
};

LockWaits WaitsForLocks(const Application& application, const StageSummary& summary) {
  LockWaits waits;
  std::map<StackId, int64_t> by_stack;
  for (const uint32_t row : summary.lock_samples) {
    const Sample& sample = application.profile.samples[row];
    if (!IsOutsideSpark(application.profile, sample.stack)) continue;
    // Uses the waiting method, not the class of the lock.
    by_stack[application.profile.stacks.Get(sample.stack).parent] += sample.weight;
    waits.total_ns += sample.weight;
  }
  waits.places = PlacesOf(application, by_stack);
  return waits;
}

constexpr double kMuchStarved = 0.3;                 // share of the tasks' wall-clock samples
constexpr int64_t kStarvedNs = 2 * kNanosPerSecond;  // task time
constexpr double kMostlyStarved = 0.6;
// A job that gets less than this share of its CPUs competes with other processes.
constexpr double kMostOfOwn = 0.8;

// CPU time of the JVMs' compilers and collectors while the tasks ran. During warm-up, or with a small heap, they take
// CPUs from the tasks, which other rules report.
int64_t CpuOfJvmItself(const Application& application, const std::vector<uint32_t>& tasks) {
  const Profile& profile = application.profile;
  const EventId cpu = profile.Row(Event::kCpu);
  const std::vector<ThreadKind> kinds = KindsOfThreads(application);
  const TaskPlace place = PlaceOfTasks(application, tasks);
  int64_t cpu_ns = 0;
  for (const Sample& sample : profile.samples) {
    const bool is_meanwhile = sample.time_ns >= place.begin_ns && sample.time_ns < place.end_ns;
    if (sample.event != cpu || !is_meanwhile || sample.thread >= kinds.size()) continue;
    const ThreadKind kind = kinds[sample.thread];
    if (kind != ThreadKind::kJit && kind != ThreadKind::kGc) continue;
    if (place.executors.contains(profile.threads[sample.thread].executor)) cpu_ns += sample.weight;
  }
  return cpu_ns;
}

}  // namespace

std::optional<Finding> FindFetchWaits(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t wait_ns = summary.Total(TaskMetric::kShuffleFetchWait);
  const int64_t run_ns = summary.Total(TaskMetric::kExecutorRunTime);
  if (wait_ns < kWorthwhileNs || Share(wait_ns, run_ns) < kMuchOfTime) return std::nullopt;
  Finding finding;
  finding.title =
      fmt::format("Stage {}: shuffle fetch wait takes {} of run time", stage.id, FormatShare(Share(wait_ns, run_ns)));
  finding.what = fmt::format("Tasks of {} spent {} of their run time waiting for shuffle blocks",
                             StageText(input, stage), FormatShare(Share(wait_ns, run_ns)));
  finding.evidence =
      fmt::format("fetch wait {} of {} run time, {} read; longest wait of a task {}", FormatDuration(wait_ns),
                  FormatDuration(run_ns), FormatBytes(summary.Total(TaskMetric::kShuffleReadBytes)),
                  FormatDuration(summary.Of(TaskMetric::kShuffleFetchWait).max));
  finding.condition = fmt::format("Fetch wait is at least {} of a stage's run time and at least {}",
                                  FormatShare(kMuchOfTime), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kWall);
  finding.change =
      "Shuffle less data: filter and project before the shuffle, broadcast the small side of a join, aggregate first. "
      "Then check the executors that serve the blocks (GC, disk, network) and spark.reducer.maxSizeInFlight";
  finding.claim = ClaimTasks(input, summary, wait_ns, kMost, AccountPart::kFetch);
  return finding;
}

std::optional<Finding> FindLockWaits(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t duration_ns = summary.Total(TaskMetric::kDuration);
  if (summary.lock_ns < kWorthwhileNs) return std::nullopt;
  const LockWaits waits = WaitsForLocks(input.application, summary);
  const double share = Share(waits.total_ns, duration_ns);
  if (waits.total_ns < kWorthwhileNs || share < kMuchOfTime) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: waiting for locks takes {} of task time", stage.id, FormatShare(share));
  finding.what = fmt::format("Tasks of {} waited {} for locks that other threads held", StageText(input, stage),
                             FormatDuration(waits.total_ns));
  finding.evidence = fmt::format("{} of {} task time", FormatDuration(waits.total_ns), FormatDuration(duration_ns));
  if (!waits.places.empty()) {
    finding.evidence += fmt::format("; {} in {}", FormatShare(Share(waits.places.front().weight_ns, waits.total_ns)),
                                    waits.places.front().text);
    finding.frames = {waits.places.front().text};
  }
  finding.condition =
      fmt::format("Code outside Spark waits for locks for at least {} of a stage's task time and at least {}",
                  FormatShare(kMuchOfTime), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kLock);
  finding.change =
      "Hold the lock for less time, or give each task an object of its own: no shared singletons with synchronized "
      "methods";
  if (!IsLocal(input.application))
    finding.change += ". Until then, use one core per executor (spark.executor.cores=1) and more executors";
  finding.claim = ClaimTasks(input, summary, waits.total_ns, kWhole, AccountPart::kLock);
  return finding;
}

std::optional<Finding> FindCpuStarvation(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  if (summary.cpu_samples_ns == 0) return std::nullopt;
  // Wall-clock samples of running threads without a CPU sample: the thread was runnable, but no core was free. While
  // the JVM waits for Python, the worker may be runnable.
  const PythonWork work = WorkOfPython(input.application, summary);
  const auto in_python_ns = Scaled(summary.python_wait_ns, Share(work.starved_ns, work.wall_ns));
  const int64_t starved_ns = std::max<int64_t>(0, summary.runnable_ns - summary.cpu_samples_ns) + in_python_ns;
  const double share = Share(starved_ns, summary.wall_samples_ns);
  if (starved_ns < kStarvedNs || share < kMuchStarved) return std::nullopt;
  const int64_t jvm_ns = CpuOfJvmItself(input.application, summary.tasks);
  if (starved_ns - jvm_ns < kStarvedNs || starved_ns < 2 * jvm_ns) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: tasks wait for a CPU for {} of their time", stage.id, FormatShare(share));
  finding.is_of_machine = true;
  finding.what = fmt::format("Tasks of {} were ready to run, but had no CPU, for {}", StageText(input, stage),
                             FormatDuration(starved_ns));
  finding.evidence = fmt::format("{} of {} of wall-clock samples", FormatDuration(starved_ns),
                                 FormatDuration(summary.wall_samples_ns));
  if (in_python_ns > 0) finding.evidence += fmt::format(", {} of it in Python workers", FormatDuration(in_python_ns));
  const std::string who = NeighborText(NeighborsOfTasks(input.application, summary.tasks));
  if (!who.empty()) finding.evidence += "; " + who;
  const std::optional<OwnUse> own = OwnUseOfTasks(input.application, summary.tasks);
  // Other processes have the CPUs: a problem of the machine, not of this job.
  if (own && own->cores < kMostOfOwn * own->cpus) {
    finding.is_context = true;
    finding.title += fmt::format(" and get {:.1f} cores for {:.0f} task slots", own->cores, own->task_slots);
    if (!who.empty()) finding.title += "; " + who;
  }
  finding.condition = fmt::format(
      "Tasks are runnable without a CPU for at least {} of their wall-clock samples and at least {} longer than the "
      "JVM's compiler and collector compute meanwhile, which are at most half of it",
      FormatShare(kMuchStarved), FormatDuration(kStarvedNs));
  finding.selection = SelectStage(stage, Event::kWall);
  finding.selection.state = ThreadState::kRunning;
  finding.change =
      "Give the executors as many CPUs as they have task slots: spark.executor.cores (or local[N]) must not exceed the "
      "container's CPUs, and Python workers need some as well. Check the host for other processes, and the container "
      "for CPU limits";
  // Workers use more CPU time than their sampled threads while the JVM's tasks wait.
  const TimeRange span = TaskSpan(input, summary);
  const int64_t native_ns = PythonCpuBetween(input.application, span.start_ns, span.end_ns) - work.all_cpu_ns;
  const bool is_of_native =
      !finding.is_context && work.all_wall_ns > 0 && 2 * native_ns >= work.all_cpu_ns && 2 * native_ns >= starved_ns;
  if (is_of_native) {
    finding.is_of_machine = false;
    finding.title += ", which native threads of Python workers use";
    finding.evidence +=
        fmt::format("; native threads of Python workers use {} of CPU time meanwhile", FormatDuration(native_ns));
    finding.change =
        "Native libraries start a thread for each core in each Python worker: limit them with "
        "spark.executorEnv.OMP_NUM_THREADS=1 (POLARS_MAX_THREADS for Polars), or reserve cores for them with "
        "spark.task.cpus";
  }
  // The job itself uses its CPUs, of which each task has one: their work pays for the waits.
  if (!finding.is_context && !is_of_native && own && own->cpus >= own->task_slots) return finding;
  const auto waited_ns = Scaled(summary.Total(TaskMetric::kDuration), share);
  // In a short job, the compiler and the collector take as much as a busy machine.
  finding.claim = ClaimTasks(input, summary, waited_ns, share < kMostlyStarved ? kSome : kHalf, AccountPart::kCpuWait);
  return finding;
}

}  // namespace sparkprof
