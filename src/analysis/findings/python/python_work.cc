// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/python_work.h"

#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/stage_tasks.h"
#include "analysis/machines/series.h"

namespace sparkprof {
namespace {

// A line that uses a smaller share of the CPU, while its thread is not runnable, sleeps. A thread that computes in a
// library without the GIL does not appear runnable while it waits for a CPU, but uses more of it.
constexpr double kSleepingShare = 0.1;

// Share of a stage's wall-clock samples. Below it, time that Spark's metrics do not explain is not a wait for Python.
constexpr double kSomePython = 0.2;

// True for names of functions that create lasting objects: constructors, "load_model", "_create_client",
// "Scorer.get_tokenizer".
bool NamesInit(std::string_view name) {
  static const re2::RE2 init(
      "(?i)(^|[._])(load|init|initiali[sz]e|build|create|get|make|read|open|setup|restore|download)_?(\\w+_)?(model|"
      "dictionary|vocab|vocabulary|lexicon|tokenizer|embeddings?|classifier|pipeline|parser|client|connection|session)"
      "$");
  return name.ends_with("__init__") || re2::RE2::PartialMatch(name, init);
}

// True for library functions that read lasting objects, such as joblib.load() and from_pretrained(). Excludes functions
// that parse a text, which may come from a row.
bool ReadsObject(std::string_view name, std::string_view file) {
  static const re2::RE2 read(
      "(^|\\.)(load|load_model|load_from_(file|checkpoint)|from_pretrained|read_(csv|excel|feather|json|parquet|pickle)"
      "|InferenceSession\\.__init__)$");
  return !Contains(file, "/yaml/") && re2::RE2::PartialMatch(name, read);
}

// True if a library's function parses a text: wkt.loads(), dateutil's parse(), re.compile().
bool Parses(std::string_view name) {
  static const re2::RE2 parse(R"((^|\.)(loads?|parse|compile|fromstring|from_(wkt|wkb|string|json|iso\w*)|strptime)$)");
  return re2::RE2::PartialMatch(name, parse);
}

// True for libraries whose functions work on whole arrays in native code. pandas does not count: it also applies
// functions to single rows and groups.
bool IsOfArrays(std::string_view file) {
  for (const std::string_view library : {"/numpy/", "/scipy/", "/sklearn/", "/torch/", "/tensorflow/", "/jax/",
                                         "/xgboost/", "/lightgbm/", "/pyarrow/", "/polars/", "/cv2/", "/numba/"}) {
    if (Contains(file, library)) return true;
  }
  return false;
}

// True for functions of pandas that call another function per row or value, or return single rows.
bool GoesByRow(std::string_view name, std::string_view file) {
  return file.ends_with("/pandas/core/apply.py") ||
         (file.ends_with("/pandas/core/algorithms.py") && name == "map_array") ||
         (file.ends_with("/pandas/core/frame.py") && (name.ends_with("iterrows") || name.ends_with("itertuples")));
}

// True for files whose functions PySpark calls to pass rows. Other libraries run because their functions were given to
// Spark, such as joblib's and MLflow's.
bool PassesRows(std::string_view file) {
  if (!Contains(file, "/site-packages/") && !Contains(file, "/dist-packages/")) return true;
  for (const std::string_view library :
       {"/pandas/", "/pyarrow/", "/numpy/", "/py4j/", "/cloudpickle/", "/zstandard/"}) {
    if (Contains(file, library)) return true;
  }
  return false;
}

struct StackPlace {
  bool is_user = false;    // the user's code, a library's function given to Spark, or a function called by these
  bool is_own = false;     // part of is_user: the innermost Python code is the user's
  bool is_array = false;   // the user's code called an array library
  bool is_by_row = false;  // pandas called the user's code per row, or created a row for it
  bool is_import = false;
  bool is_closure = false;  // PySpark unpickles a function or a broadcast variable; excludes its imports
  bool is_zip = false;      // importlib.invalidate_caches() reads the directory of a zip file
  std::string line;         // innermost of the user
  std::string init;         // the constructor or the import
  std::string parsing;      // a library's function that the user's code calls, if it parses
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
    bool calls_array = false, calls_python = false;  // in the previous frame; in any previous frame
    bool calls_reader = false;                       // the Python frame before
    bool has_array = false;
    const Frame* outermost = nullptr;  // below PySpark's frames
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
        const bool is_given = outermost != nullptr && !place.is_import && !place.is_zip && !place.is_closure;
        if (is_given && !PassesRows(profile_.strings.Get(outermost->file))) {
          place.is_user = true;
          place.is_array = has_array;
          place.line = FrameLabel(profile_.strings, *outermost);
        }
        return place;
      }
      if (origin == FrameOrigin::kUser && !place.is_user) {
        place.is_user = true;
        place.is_array = calls_array;
        place.is_own = !calls_python;
        place.line = FrameLabel(profile_.strings, frame);
        if (calls_python && Parses(profile_.strings.Get(outermost->name)))
          place.parsing = FrameLabel(profile_.strings, *outermost);
      }
      calls_array = is_of_arrays;
      has_array |= is_of_arrays;
      calls_python = true;
      outermost = &frame;
      if (origin == FrameOrigin::kSpark) continue;
      place.is_import |= is_import;
      // Prefers the outermost, because its cost includes its callees.
      if (is_import || (origin == FrameOrigin::kUser && (NamesInit(name) || calls_reader)))
        place.init = FrameLabel(profile_.strings, frame);
      calls_reader = origin == FrameOrigin::kLibrary && ReadsObject(name, file);
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
  std::ranges::stable_sort(sorted,
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

// The last argument of ArrowEvalPython is the kind of function; 101 gets batches but processes single rows.
bool IsRowFunction(const PlanOperator& one) {
  return one.kind == "BatchEvalPython" || (one.kind == "ArrowEvalPython" && one.plan->text.ends_with(", 101"));
}

bool StageHas(const Application& application, const Stage& stage, bool (*is_it)(const PlanOperator& one)) {
  return std::ranges::any_of(OperatorsOfStage(application, stage), is_it);
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

std::vector<PythonLine> ParsingFunctions(const Application& application, const StageSummary& stage) {
  Places places(application.profile);
  std::map<std::string, PythonLine> functions;
  const EventId cpu = application.profile.Row(Event::kCpu);
  for (const uint32_t row : stage.python_samples) {
    const Sample& sample = application.python_samples[row];
    const std::string& function = places.Of(sample.stack).parsing;
    if (sample.event == cpu && !function.empty()) AddTo(&functions, function, {.cpu_ns = sample.weight});
  }
  return Sorted(functions, &PythonLine::cpu_ns);
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
  // Recordings contain all processes.
  const bool has_worker =
      std::ranges::any_of(application.processes, [](const auto& one) { return IsPython(one.process.role); });
  if (HasSamples(application) && !application.processes.empty() && !has_worker) return false;
  if (!summary.python_samples.empty() || summary.python_wait_ns > 0) return true;
  if (Contains(stage.details, "api.python.")) return true;
  if (StageHas(application, stage, [](const PlanOperator& one) { return IsPythonOperator(one.kind); })) return true;
  // RDDs of Python programs contain pickled rows, as in createDataFrame(), except for batches of foreachBatch().
  // Checked last, because it reads all stages.
  return application.streaming_queries.empty() &&
         StageHas(application, stage,
                  [](const PlanOperator& one) { return Contains(one.plan->name, "ExistingRDD"); }) &&
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
