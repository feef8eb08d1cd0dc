// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/python/worker_times.h"
#include "analysis/findings/rules.h"
#include "analysis/machines/series.h"
#include "analysis/time/stage_summary.h"

namespace sparkprof {
namespace {

constexpr double kMuchOutside = 0.5;  // share of run time outside the JVM, where Spark has no Python metrics
constexpr char kReuse[] = "spark.python.worker.reuse";

struct Starts {
  int64_t time_ns = 0;   // sum of all tasks; 0 = nothing to report
  bool measured = true;  // false = an upper bound whose true part is unknown
  const char* by = "Spark's metrics of the plan";
};

// A worker of an earlier stage was idle before this stage, which Spark counts as initialization.
bool HasEarlierPython(const FindingInput& input, const Stage& stage) {
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const Stage& other = input.application.stages[row];
    if (other.submit_ns < stage.submit_ns && UsesPython(input.application, other, input.stages[row])) return true;
  }
  return false;
}

// Before its first task, a worker starts, imports modules and unpickles broadcast variables while the JVM waits. Only
// workers that are not reused do so for each task; FindRepeatedInit handles the others.
Starts StartsInSamples(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  if (ReusesWorkers(input.application) || FindRepeatedInit(input, stage, summary)) return {};
  const PythonWork work = WorkOfPython(input.application, summary);
  const auto run_ns = static_cast<double>(summary.Total(TaskMetric::kExecutorRunTime));
  const int64_t waits_ns = static_cast<int64_t>(run_ns * Share(summary.python_start_ns, summary.wall_samples_ns));
  const int64_t starts_ns =
      waits_ns + TimeOfCpuSamples(summary, work.import_ns + work.start_import_ns + work.closure_ns);
  return {static_cast<double>(starts_ns) >= kMuchOfCode * run_ns ? starts_ns : 0, true, "samples"};
}

Starts StartsOf(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const Application& application = input.application;
  if (!summary.python_samples.empty() || summary.wall_samples_ns > 0) return StartsInSamples(input, stage, summary);
  const PythonMetrics metrics = PythonMetricsOf(application, stage);
  const int64_t starts_ns = std::min(metrics.start_ns + metrics.initialize_ns, metrics.run_ns);
  if (starts_ns > 0) {
    const bool is_much = Share(starts_ns, metrics.run_ns) >= kMuchStarting;
    const bool is_exact = is_much && (!ReusesWorkers(application) || !HasEarlierPython(input, stage));
    // Imports inside a function follow the initialization.
    if (is_exact || ReusesWorkers(application)) return {is_exact ? starts_ns : 0};
  }
  if (ReusesWorkers(application) || !HasCpuTime(application) || ShareOutsideJvm(summary) < kMuchOutside) return {};
  // The work of each task takes at most as long as the fastest task.
  return {summary.Of(TaskMetric::kExecutorRunTime).min * static_cast<int64_t>(summary.tasks.size()), false};
}

constexpr size_t kImportingTasks = 4;  // a few tasks import because their workers are new

}  // namespace

bool ReusesWorkers(const Application& application) {
  return SettingOf(application, kReuse) != std::string_view("false");
}

std::string LongerTasksAdvice(const Application& application) {
  constexpr char kLongerTasks[] = "se fewer and longer tasks, and import large modules only where they are needed";
  if (ReusesWorkers(application)) return fmt::format("U{}", kLongerTasks);
  return fmt::format("Set {}=true, so that each worker imports its modules once, or u{}", kReuse, kLongerTasks);
}

std::optional<Finding> FindWorkerStarts(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const auto tasks = static_cast<int64_t>(summary.tasks.size());
  if (tasks < kStartsPerCore * input.cores || !UsesPython(input.application, stage, summary)) return std::nullopt;
  const Starts starts = StartsOf(input, stage, summary);
  if (starts.time_ns < kWorthwhileNs) return std::nullopt;
  const int64_t run_ns = summary.Total(TaskMetric::kExecutorRunTime);
  Finding finding;
  finding.title = starts.measured
                      ? fmt::format("Stage {}: starting and initializing Python workers takes {} of task time",
                                    stage.id, FormatShare(Share(starts.time_ns, run_ns)))
                      : fmt::format("Stage {}: each of {} tasks starts a Python worker of its own", stage.id, tasks);
  const bool are_reused = starts.measured && ReusesWorkers(input.application);
  finding.what = fmt::format(
      "The {} tasks of {} {}", tasks, StageText(input, stage),
      are_reused ? "each read their Python function again, with the data that it refers to and the modules it imports"
                 : "start Python workers, which import their modules again");
  finding.evidence =
      starts.measured
          ? fmt::format("{} of {} run time, by {}", FormatDuration(starts.time_ns), FormatDuration(run_ns), starts.by)
          : fmt::format(
                "{}=false; {} of the run time is neither CPU time of the JVM nor GC nor shuffle; the fastest task "
                "takes {}. How much of it are imports is unknown without a profile",
                kReuse, FormatShare(ShareOutsideJvm(summary)),
                FormatDuration(summary.Of(TaskMetric::kExecutorRunTime).min));
  finding.condition = fmt::format(
      "In a stage with at least {} tasks per core, the start and initialization of Python workers take at least {} of "
      "the workers' time, or at least {} of the samples' if {} is false; without metrics of the workers and samples, "
      "it is false and at least {} of the run time is outside the JVM",
      kStartsPerCore, FormatShare(kMuchStarting), FormatShare(kMuchOfCode), kReuse, FormatShare(kMuchOutside));
  finding.selection = SelectStage(stage, Event::kWall);
  finding.change = LongerTasksAdvice(input.application);
  if (are_reused)
    finding.change +=
        ". If the function refers to large data, pass them as a broadcast variable (sc.broadcast), which each worker "
        "reads once, or join with them";
  // Each core still starts one worker.
  const double saved = 1 - Share(input.cores, tasks);
  finding.claim = ClaimTasks(input, summary, Scaled(starts.time_ns, saved), starts.measured ? kMost : kHalf);
  return finding;
}

std::optional<Finding> FindRepeatedInit(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const PythonWork work = WorkOfPython(input.application, summary);
  const int64_t imports_ns = work.importing_tasks >= kImportingTasks ? work.import_ns : 0;
  const int64_t init_ns = work.init_ns + imports_ns;
  if (init_ns < kWorthwhileNs || Share(init_ns, work.cpu_ns) < kMuchOfCode) return std::nullopt;
  const bool is_import = imports_ns > work.init_ns;
  const double share = Share(init_ns, work.cpu_ns);
  Finding finding;
  finding.title =
      fmt::format("Stage {}: {} takes {} of Python's CPU time", stage.id,
                  is_import ? "importing modules in each task" : "loading or building the same object again and again",
                  FormatShare(share));
  finding.what = fmt::format("In {}, {} takes {} of the CPU time of the Python code", StageText(input, stage),
                             work.by_init.front().text, FormatShare(share));
  finding.evidence = fmt::format("{} of {} of CPU samples of the Python workers", FormatDuration(init_ns),
                                 FormatDuration(work.cpu_ns));
  if (is_import) finding.evidence += fmt::format("; {} tasks import modules", work.importing_tasks);
  finding.condition = fmt::format(
      "Constructors of the user's classes, functions called like load_model or create_client, those of libraries that "
      "read models and tables (joblib.load, from_pretrained), and imports if at least {} tasks of a stage import "
      "modules, take at least {} of the CPU time of its Python code and at least {}",
      kImportingTasks, FormatShare(kMuchOfCode), FormatDuration(kWorthwhileNs));
  finding.frames = {work.by_init.front().text};
  finding.selection = SelectStage(stage, Event::kCpu);
  finding.change = is_import ? LongerTasksAdvice(input.application)
                             : "Build it once per partition (mapPartitions, or an iterator of batches in a pandas UDF) "
                               "or once per worker (a global variable), and use it for every record";
  // The JVM waits meanwhile. Importing does not pass rows.
  const double waits = summary.wall_samples_ns == 0 ? 1
                       : is_import                  ? PythonWaitOf(summary).Share()
                                                    : ShareOfPythonWait(summary);
  const double wait_ns = static_cast<double>(summary.Total(TaskMetric::kDuration)) * waits;
  // Each worker still does it once.
  const double once = is_import ? std::min(1.0, Share(input.cores, static_cast<int64_t>(summary.tasks.size()))) : 0;
  // Tasks also wait for PySpark's own code.
  const double of_wait = Share(init_ns, work.all_cpu_ns);
  finding.claim = ClaimTasks(input, summary, static_cast<int64_t>(wait_ns * of_wait * (1 - once)), kWhole);
  return finding;
}

// PySpark calls importlib.invalidate_caches() at the start of each task. In Python 3.10 and 3.11, this reads the
// directories of all zip files in sys.path, pyspark.zip among them (https://github.com/python/cpython/issues/103200).
std::optional<Finding> FindZipReads(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const PythonWork work = WorkOfPython(input.application, summary);
  // Samples lack native threads, which /proc counts.
  const TimeRange span = TaskSpan(input, summary);
  const int64_t python_ns = std::max(work.all_cpu_ns, PythonCpuBetween(input.application, span.start_ns, span.end_ns));
  const double share = Share(work.zip_ns, python_ns);
  const int64_t wall_ns = WallTimeOf(input, summary, work.zip_ns);
  if (work.zip_ns < kWorthwhileNs || share < kMuchOfCode || Share(wall_ns, input.duration_ns) < kNoticeable)
    return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: reading pyspark.zip again in each task takes {} of Python's CPU time",
                              stage.id, FormatShare(share));
  finding.what = fmt::format(
      "In {}, each of {} tasks calls importlib.invalidate_caches(), which reads the directories of pyspark.zip and of "
      "the other zip files in sys.path",
      StageText(input, stage), summary.tasks.size());
  finding.evidence =
      fmt::format("{} of {} of CPU time of the Python workers", FormatDuration(work.zip_ns), FormatDuration(python_ns));
  finding.condition = fmt::format(
      "Reading the directories of zip files takes at least {} of the CPU time of a stage's Python workers, at least "
      "{}, and at least {} of the duration",
      FormatShare(kMuchOfCode), FormatDuration(kWorthwhileNs), FormatShare(kNoticeable));
  finding.selection = SelectStage(stage, Event::kCpu);
  finding.change = "Use Python 3.12 or later, which does not read them again, or use fewer and longer tasks";
  // The task waits for its worker.
  finding.claim = ClaimTasks(input, summary, work.zip_ns, kWhole);
  finding.is_of_machine = true;
  return finding;
}

}  // namespace sparkprof
