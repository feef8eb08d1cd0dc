// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python_work.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "analysis/findings/plan_operator.h"
#include "analysis/findings/rules.h"
#include "analysis/frame_origin.h"
#include "analysis/series_math.h"

namespace sparkprof {
namespace {

// A line on which the CPU is used for less of the time sleeps. A worker that waits for a CPU gets a larger share even
// on a machine with many more runnable threads than cores.
constexpr double kSleepingShare = 0.1;

// Threads of the code of which more sleep at a time, on average, wait at once.
constexpr double kSeveralThreads = 1.5;

// Of a stage's wall-clock samples. With less, what Spark's metrics leave open is no wait for Python.
constexpr double kSomePython = 0.2;

struct StackPlace {
  bool is_user = false;  // the user's code, or what it called
  bool is_import = false;
  bool is_own_thread = false;      // that the code started, not the one that runs the task
  bool waits_for_threads = false;  // the innermost function is one of Python's to wait for a thread
  std::string line;                // innermost of the user
  std::string init;                // the constructor or the import
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
    if (stack != 0) place.waits_for_threads = IsOfThreading(stack);
    for (; stack != 0; stack = profile_.stacks.Get(stack).parent) {
      if (profile_.stacks.Get(stack).parent == 0) place.is_own_thread = IsOfThreading(stack);
      const Frame& frame = profile_.frames.Get(profile_.stacks.Get(stack).frame);
      if (frame.kind != FrameKind::kPython) continue;
      const std::string_view name = profile_.strings.Get(frame.name);
      const FrameOrigin origin = OriginOf(name, profile_.strings.Get(frame.file), frame.kind);
      if (origin == FrameOrigin::kSpark && !place.is_user) return place;
      if (origin == FrameOrigin::kUser && !place.is_user) {
        place.is_user = true;
        place.line = FrameLabel(profile_.strings, frame);
      }
      if (origin == FrameOrigin::kSpark) continue;
      const bool is_import = name == "<module>";
      place.is_import |= is_import;
      // The outermost: what it calls is its cost.
      if (is_import || (origin == FrameOrigin::kUser && name.ends_with("__init__")))
        place.init = FrameLabel(profile_.strings, frame);
    }
    return place;
  }

  // Whether the stack's last frame is of the module that starts threads and waits for them.
  bool IsOfThreading(StackId stack) const {
    const Frame& frame = profile_.frames.Get(profile_.stacks.Get(stack).frame);
    const std::string_view file = profile_.strings.Get(frame.file);
    return frame.kind == FrameKind::kPython && (file == "threading.py" || file.ends_with("/threading.py"));
  }

  const Profile& profile_;
  std::unordered_map<StackId, StackPlace> places_;
};

using Lines = std::map<std::string, PythonLine>;  // by text

std::vector<PythonLine> Sorted(const Lines& lines, int64_t PythonLine::*weight) {
  std::vector<PythonLine> sorted;
  for (const auto& [text, line] : lines) {
    if (line.*weight > 0) sorted.push_back(line);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [weight](const PythonLine& a, const PythonLine& b) { return a.*weight > b.*weight; });
  return sorted;
}

void AddTo(Lines* lines, const std::string& text, int64_t cpu_ns, int64_t wall_ns) {
  PythonLine& line = (*lines)[text];
  line.text = text;
  line.cpu_ns += cpu_ns;
  line.wall_ns += wall_ns;
}

// Lines that use almost no CPU in `span_ns`, or in their own wall time if that is less.
std::vector<PythonLine> Sleeping(const Lines& lines, int64_t span_ns) {
  std::vector<PythonLine> sleeping = Sorted(lines, &PythonLine::wall_ns);
  std::erase_if(sleeping, [span_ns](const PythonLine& line) {
    return static_cast<double>(line.cpu_ns) > kSleepingShare * static_cast<double>(std::min(line.wall_ns, span_ns));
  });
  return sleeping;
}

int64_t WallOf(const std::vector<PythonLine>& lines) {
  return std::accumulate(lines.begin(), lines.end(), int64_t{0},
                         [](int64_t sum, const PythonLine& line) { return sum + line.wall_ns; });
}

// Divides `wait_ns`, in which tasks wait for threads of their code, as these threads divide their time. Threads that
// compute take turns with the interpreter's lock: each may look asleep, and together they use the CPU.
void AddWaitForThreads(const Lines& threads, int64_t threads_wall_ns, int64_t wait_ns, PythonWork* work, Lines* lines) {
  const std::vector<PythonLine> asleep = Sleeping(threads, wait_ns);
  const int64_t asleep_ns = WallOf(asleep);
  const double part = Share(wait_ns, threads_wall_ns);
  const double at_once = Share(asleep_ns, wait_ns);
  if (at_once < kSeveralThreads) {
    for (const PythonLine& line : asleep)
      AddTo(lines, line.text, 0, static_cast<int64_t>(static_cast<double>(line.wall_ns) * part));
    return;
  }
  work->pool_ns = static_cast<int64_t>(static_cast<double>(asleep_ns) * part);
  work->pool_threads = at_once;
  work->by_pool = asleep;
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
  Lines lines, task_lines, thread_lines, waiting_lines, inits;
  std::set<uint32_t> importing;
  int64_t threads_wall_ns = 0;
  const EventId cpu = application.profile.Row(Event::kCpu);
  for (const uint32_t row : stage.python_samples) {
    const Sample& sample = application.python_samples[row];
    const StackPlace& place = places.Of(sample.stack);
    const int64_t cpu_ns = sample.event == cpu ? sample.weight : 0;
    const int64_t wall_ns = sample.event == cpu ? 0 : sample.weight;
    if (!place.is_user) {
      if (!place.is_own_thread && sample.state == ThreadState::kRunning) work.runtime_ns += wall_ns;
      continue;
    }
    work.cpu_ns += cpu_ns;
    (place.is_own_thread ? threads_wall_ns : work.wall_ns) += wall_ns;
    AddTo(&lines, place.line, cpu_ns, wall_ns);
    AddTo(place.is_own_thread       ? &thread_lines
          : place.waits_for_threads ? &waiting_lines
                                    : &task_lines,
          place.line, cpu_ns, wall_ns);
    if (place.init.empty()) continue;
    AddTo(&inits, place.init, cpu_ns, wall_ns);
    (place.is_import ? work.import_ns : work.init_ns) += cpu_ns;
    if (place.is_import) importing.insert(sample.task);
  }
  work.importing_tasks = importing.size();
  work.by_cpu = Sorted(lines, &PythonLine::cpu_ns);
  work.by_init = Sorted(inits, &PythonLine::cpu_ns);
  const int64_t wait_ns = WallOf(Sorted(waiting_lines, &PythonLine::wall_ns));
  if (threads_wall_ns > 0 && wait_ns > 0) {
    AddWaitForThreads(thread_lines, threads_wall_ns, wait_ns, &work, &task_lines);
  } else {
    // Nobody to wait for: an event with a timeout is one more way to sleep.
    for (const auto& [text, line] : waiting_lines) AddTo(&task_lines, text, line.cpu_ns, line.wall_ns);
  }
  work.by_sleep = Sleeping(task_lines, work.wall_ns);
  work.sleep_ns = WallOf(work.by_sleep);
  return work;
}

double PythonWork::ShareOfSleep() const { return Share(sleep_ns, wall_ns + runtime_ns); }
double PythonWork::ShareOfPool() const { return Share(pool_ns, wall_ns + runtime_ns); }

int64_t RunTime(const StageSummary& summary) {
  const int64_t run_ns = summary.Total(TaskMetric::kExecutorRunTime);
  return run_ns > 0 ? run_ns : summary.Total(TaskMetric::kDuration);
}

int64_t TimeInPython(const StageSummary& summary, double share) {
  const double waits = summary.wall_samples_ns > 0 ? Share(summary.python_wait_ns, summary.wall_samples_ns) : 1;
  return static_cast<int64_t>(static_cast<double>(RunTime(summary)) * waits * share);
}

bool UsesPython(const Application& application, const Stage& stage, const StageSummary& summary) {
  if (!summary.python_samples.empty() || summary.python_wait_ns > 0) return true;
  if (stage.details.find("api.python.") != std::string::npos) return true;
  return StageHas(application, stage, [](const PlanOperator& one) { return IsPythonOperator(one.kind); });
}

bool HasCpuTime(const Application& application) {
  const MetricColumn& cpu = application.tasks.Column(TaskMetric::kExecutorCpuTime);
  return std::any_of(cpu.begin(), cpu.end(), [](int64_t value) { return value > 0; });
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
  const double sampled = Share(stage.python_wait_ns, stage.wall_samples_ns);
  const double other_waits = std::max(0.0, Share(stage.sleep_ns - stage.lock_ns, stage.wall_samples_ns));
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
