// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/python_work.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/stage_tasks.h"
#include "analysis/machines/series.h"
#include "analysis/time/python_wait.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

// A line on which the CPU is used for less of the time sleeps while its thread is not runnable. A thread that computes
// in a library without the GIL does not appear runnable while it waits for a CPU, but gets a larger share of one.
constexpr double kSleepingShare = 0.1;

// Share of a stage's wall-clock samples. Below it, time that Spark's metrics do not explain is not a wait for Python.
constexpr double kSomePython = 0.2;

// Whether a function makes something that lasts: a constructor, "load_model", "_create_client", "Scorer.get_tokenizer".
bool NamesInit(std::string_view name) {
  static const re2::RE2 init(
      "(?i)(^|[._])(load|init|initiali[sz]e|build|create|get|make|read|open|setup|restore|download)_?(\\w+_)?(model|"
      "dictionary|vocab|vocabulary|lexicon|tokenizer|embeddings?|classifier|pipeline|parser|client|connection|session)"
      "$");
  return name.ends_with("__init__") || re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), init);
}

// Whether a file is of a library whose functions work on whole arrays in native code. pandas is none: it also applies
// functions to single rows and groups.
bool IsOfArrays(std::string_view file) {
  for (const std::string_view library : {"/numpy/", "/scipy/", "/sklearn/", "/torch/", "/tensorflow/", "/jax/",
                                         "/xgboost/", "/lightgbm/", "/pyarrow/", "/polars/", "/cv2/", "/numba/"}) {
    if (file.find(library) != std::string_view::npos) return true;
  }
  return false;
}

// Whether a function of pandas calls another for each row or value, or returns rows one by one.
bool GoesByRow(std::string_view name, std::string_view file) {
  return file.ends_with("/pandas/core/apply.py") ||
         (file.ends_with("/pandas/core/algorithms.py") && name == "map_array") ||
         (file.ends_with("/pandas/core/frame.py") && (name.ends_with("iterrows") || name.ends_with("itertuples")));
}

struct StackPlace {
  bool is_user = false;    // the user's code, or what it called
  bool is_own = false;     // of it: the innermost Python code is the user's
  bool is_array = false;   // the user's code called an array library
  bool is_by_row = false;  // pandas called the user's code for a row, or made one for it
  bool is_import = false;
  bool is_closure = false;  // PySpark unpickles a function or a broadcast variable, without what that imports
  bool is_zip = false;      // importlib.invalidate_caches() reads the directory of a zip file
  std::string line;         // innermost of the user
  std::string init;         // the constructor or the import
};

class Places {
 public:
  explicit Places(const Profile& profile) : profile_(profile) {}

  const StackPlace& Of(StackId stack) {
    const auto [place, is_new] = places_.try_emplace(stack);
    if (is_new) place->second = Make(stack);
    return place->second;
  }

 private:
  StackPlace Make(StackId stack) const {
    StackPlace place;
    place.is_closure = IsClosure(stack);
    bool calls_array = false, calls_python = false;  // the frame before; any frame before
    for (; stack != 0; stack = profile_.stacks.Get(stack).parent) {
      const Frame& frame = profile_.frames.Get(profile_.stacks.Get(stack).frame);
      const bool is_of_arrays = IsOfArrays(profile_.strings.Get(frame.file));
      if (frame.kind != FrameKind::kPython) {
        calls_array |= is_of_arrays;
        continue;
      }
      const std::string_view name = profile_.strings.Get(frame.name);
      place.is_zip |= name == "zipimporter.invalidate_caches" || (name == "invalidate_caches" && IsZipImport(frame));
      const std::string_view file = profile_.strings.Get(frame.file);
      const FrameOrigin origin = OriginOf(name, file, frame.kind);
      place.is_by_row |= GoesByRow(name, file);
      const bool is_import = name == "<module>";
      if (origin == FrameOrigin::kSpark && !place.is_user) {
        place.is_import |= is_import;
        return place;
      }
      if (origin == FrameOrigin::kUser && !place.is_user) {
        place.is_user = true;
        place.is_array = calls_array;
        place.is_own = !calls_python;
        place.line = FrameLabel(profile_.strings, frame);
      }
      calls_array = is_of_arrays;
      calls_python = true;
      if (origin == FrameOrigin::kSpark) continue;
      place.is_import |= is_import;
      // The outermost: what it calls is its cost.
      if (is_import || (origin == FrameOrigin::kUser && NamesInit(name)))
        place.init = FrameLabel(profile_.strings, frame);
    }
    return place;
  }

  bool IsClosure(StackId stack) const {
    for (; stack != 0; stack = profile_.stacks.Get(stack).parent) {
      const Frame& frame = profile_.frames.Get(profile_.stacks.Get(stack).frame);
      if (frame.kind != FrameKind::kPython) continue;
      const std::string_view name = profile_.strings.Get(frame.name), file = profile_.strings.Get(frame.file);
      if (name == "<module>") return false;
      // In worker_util.py since Spark 4.0.
      if (name == "read_command" && (file.ends_with("pyspark/worker.py") || file.ends_with("pyspark/worker_util.py"))) {
        return true;
      }
      if (name.ends_with("load_from_path") && file.ends_with("pyspark/broadcast.py")) return true;
    }
    return false;
  }

  // Python 3.10 has no qualified names in its frames.
  bool IsZipImport(const Frame& frame) const {
    return profile_.strings.Get(frame.file).find("zipimport") != std::string_view::npos;
  }

  const Profile& profile_;
  std::unordered_map<StackId, StackPlace> places_;
};

std::vector<PythonLine> Sorted(const std::map<std::string, PythonLine>& lines, int64_t PythonLine::*weight) {
  std::vector<PythonLine> sorted;
  for (const auto& [text, line] : lines) {
    if (line.*weight > 0) sorted.push_back(line);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [weight](const PythonLine& a, const PythonLine& b) { return a.*weight > b.*weight; });
  return sorted;
}

void AddTo(std::map<std::string, PythonLine>* lines, const std::string& text, const PythonLine& weight) {
  PythonLine& line = (*lines)[text];
  line.text = text;
  line.cpu_ns += weight.cpu_ns;
  line.own_cpu_ns += weight.own_cpu_ns;
  line.wall_ns += weight.wall_ns;
  line.idle_ns += weight.idle_ns;
}

// The last argument of ArrowEvalPython is the kind of function; 101 gets its rows in batches, but handles them one by
// one.
bool IsRowFunction(const PlanOperator& one) {
  return one.kind == "BatchEvalPython" || (one.kind == "ArrowEvalPython" && one.plan->text.ends_with(", 101"));
}

bool StageHas(const Application& application, const Stage& stage, bool (*is_it)(const PlanOperator& one)) {
  const std::vector<PlanOperator> operators = OperatorsOfStage(application, stage);
  return std::any_of(operators.begin(), operators.end(), is_it);
}

}  // namespace

PythonWork WorkOfPython(const Application& application, const StageSummary& stage) {
  PythonWork work;
  Places places(application.profile);
  std::map<std::string, PythonLine> lines, inits;
  std::set<uint32_t> importing;
  int64_t runnable_ns = 0;
  const EventId cpu = application.profile.Row(Event::kCpu);
  for (const uint32_t row : stage.python_samples) {
    const Sample& sample = application.python_samples[row];
    const StackPlace& place = places.Of(sample.stack);
    if (sample.event == cpu) {
      work.all_cpu_ns += sample.weight;
      if (place.is_zip && !place.is_user) work.zip_ns += sample.weight;
      if (place.is_closure) work.closure_ns += sample.weight;
      if (place.is_import && !place.is_user && !place.is_zip) work.start_import_ns += sample.weight;
    }
    if (sample.event != cpu) {
      work.all_wall_ns += sample.weight;
      if (place.is_zip && !place.is_user) work.zip_wall_ns += sample.weight;
    }
    if (!place.is_user) continue;
    PythonLine weight;
    (sample.event == cpu ? weight.cpu_ns : weight.wall_ns) = sample.weight;
    if (sample.state != ThreadState::kRunning) weight.idle_ns = weight.wall_ns;
    if (place.is_own) weight.own_cpu_ns = weight.cpu_ns;
    work.cpu_ns += weight.cpu_ns;
    if (place.is_array && !place.is_import) work.array_ns += weight.cpu_ns;
    if (place.is_by_row && !place.is_import) work.by_row_ns += weight.cpu_ns;
    work.wall_ns += weight.wall_ns;
    runnable_ns += weight.wall_ns - weight.idle_ns;
    AddTo(&lines, place.line, weight);
    if (place.init.empty()) continue;
    AddTo(&inits, place.init, weight);
    (place.is_import ? work.import_ns : work.init_ns) += weight.cpu_ns;
    if (place.is_import) importing.insert(sample.task);
  }
  work.importing_tasks = importing.size();
  work.starved_ns = std::max<int64_t>(0, runnable_ns - work.cpu_ns);
  work.by_cpu = Sorted(lines, &PythonLine::cpu_ns);
  work.by_init = Sorted(inits, &PythonLine::cpu_ns);
  for (PythonLine& line : Sorted(lines, &PythonLine::idle_ns)) {
    if (static_cast<double>(line.cpu_ns) > kSleepingShare * static_cast<double>(line.wall_ns)) continue;
    work.sleep_ns += line.idle_ns;
    work.by_sleep.push_back(std::move(line));
  }
  return work;
}

int64_t PassingTime(const PythonWork& work) {
  return std::max<int64_t>(0, work.all_cpu_ns - work.cpu_ns - work.zip_ns - work.closure_ns - work.start_import_ns);
}

int64_t PythonCpuOfTask(const Application& application, const StageSummary& stage, uint32_t task) {
  const EventId cpu = application.profile.Row(Event::kCpu);
  int64_t cpu_ns = 0;
  for (const uint32_t row : stage.python_samples) {
    const Sample& sample = application.python_samples[row];
    if (sample.event == cpu && IsOfTask(application, sample, task)) cpu_ns += sample.weight;
  }
  return cpu_ns;
}

bool UsesPython(const Application& application, const Stage& stage, const StageSummary& summary) {
  // A recording has all processes.
  const bool has_worker = std::any_of(application.processes.begin(), application.processes.end(),
                                      [](const auto& one) { return IsPython(one.process.role); });
  if (HasSamples(application) && !application.processes.empty() && !has_worker) return false;
  if (!summary.python_samples.empty() || summary.python_wait_ns > 0) return true;
  if (stage.details.find("api.python.") != std::string::npos) return true;
  if (StageHas(application, stage, [](const PlanOperator& one) { return IsPythonOperator(one.kind); })) return true;
  // An RDD of a Python program is pickled rows, as of createDataFrame(); but a batch of foreachBatch() is not. Reading
  // all stages for it comes last.
  return application.streaming_queries.empty() &&
         StageHas(application, stage,
                  [](const PlanOperator& one) { return one.plan->name.find("ExistingRDD") != std::string::npos; }) &&
         IsPythonProgram(application);
}

double ShareOutsideJvm(const StageSummary& stage) {
  const int64_t run_ns = stage.Total(TaskMetric::kExecutorRunTime);
  const int64_t in_jvm_ns = stage.Total(TaskMetric::kExecutorCpuTime) + stage.Total(TaskMetric::kGcTime) +
                            stage.Total(TaskMetric::kShuffleFetchWait);
  return Share(run_ns - in_jvm_ns, run_ns);
}

double ShareOfPythonWait(const StageSummary& stage) {
  const double outside = ShareOutsideJvm(stage);
  if (stage.wall_samples_ns == 0) return outside;
  const double sampled = PythonWaitOf(stage).Share();
  const int64_t starved_ns = std::max<int64_t>(0, stage.runnable_ns - stage.cpu_samples_ns);
  const double other_waits =
      std::max(0.0, Share(stage.sleep_ns - stage.lock_ns + stage.python_start_ns + starved_ns, stage.wall_samples_ns));
  return sampled < kSomePython ? sampled : std::max(sampled, outside - other_waits);
}

PythonLoad LoadOfPython(const Application& application) {
  PythonLoad load;
  double cpu_ns = 0, spans_ns = 0;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != "process.cpu_percent" || series.process < 0 || series.points.size() < 2) continue;
    if (!IsPython(application.processes[static_cast<size_t>(series.process)].process.role)) continue;
    const int64_t span_ns = series.points.back().time_ns - series.points.front().time_ns;
    double percent = 0;
    for (const SeriesPoint& point : series.points) percent += point.value;
    cpu_ns += percent / 100 / static_cast<double>(series.points.size()) * static_cast<double>(span_ns);
    spans_ns += static_cast<double>(span_ns);
    load.span_ns = std::max(load.span_ns, span_ns);
  }
  if (spans_ns > 0) load.cores = cpu_ns / spans_ns;
  return load;
}

bool CallsPythonForEachRow(const Application& application, const Stage& stage) {
  return StageHas(application, stage, IsRowFunction);
}

}  // namespace sparkprof
