// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "analysis/findings/rules.h"
#include "analysis/machines/executor_memory.h"
#include "analysis/owners/native_memory.h"
#include "analysis/python/driver_lines.h"
#include "analysis/python/held_lines.h"

namespace sparkprof {
namespace {

constexpr int64_t kMuchHeld = int64_t{256} << 20;  // per line
constexpr double kMuchOfProcesses = 0.25;          // share of the processes' resident memory
constexpr int64_t kMuchKept = int64_t{64} << 20;   // growth from task to task
constexpr size_t kTasksKept = 2;                   // per worker
constexpr double kSomeOfTask = 0.1;                // relative to the task for which the line holds the most
constexpr int64_t kBatchBytes = int64_t{64} << 20;
constexpr int64_t kDefaultBatch = 10'000;            // rows
constexpr int64_t kNearNs = 5 * kNanosPerSecond;     // readings of processes are seconds apart
constexpr double kNearLimit = 0.9, kHeadroom = 1.5;  // share of the limit; factor for what the workers hold
constexpr size_t kLinesShown = 3;
constexpr char kBatch[] = "spark.sql.execution.arrow.maxRecordsPerBatch";
constexpr char kWorkerMemory[] = "spark.executor.pyspark.memory";

// Memory that a line holds for earlier tasks.
struct Kept {
  int64_t bytes = 0;
  size_t tasks = 0;           // in all workers
  size_t most_of_worker = 0;  // tasks of a single worker
};

// The Python function of the tasks for which a line holds the most.
struct Function {
  const Stage* stage = nullptr;  // null = unknown
  std::string kind;              // kind of its operator; may be empty
  int64_t tasks = 0;             // tasks for which the line holds memory
  int64_t rows_of_task = 0;      // 0 = unknown
  int64_t rows_at_once = 0;      // rows per batch, or per task if it may hold all of them; 0 = unknown
};

struct PythonMemory {
  PythonPart part = PythonPart::kWorkers;
  HeldLines held;
  size_t line_row = 0;  // index of the line in held.lines
  Kept kept;
  Function function;
  std::optional<int64_t> resident;  // resident memory of these processes at that time
  std::optional<int64_t> limit;     // container limit

  const HeldLine& Line() const { return held.lines[line_row]; }
  bool IsKept() const { return kept.bytes >= kMuchKept && kept.most_of_worker >= kTasksKept; }
  // 0 = unknown.
  int64_t BytesPerRow() const {
    const int64_t rows = function.tasks * (IsKept() ? function.rows_of_task : function.rows_at_once);
    return rows == 0 ? 0 : Line().bytes / rows;
  }
};

// A worker runs one task after another, so all but its last one had ended, however short they were.
Kept KeptBy(const Application& application, const HeldLines& held, const HeldLine& line) {
  const std::vector<ProfileTask>& tasks = application.profile.tasks;
  std::map<int64_t, int64_t> last_of_worker;  // TIDs rise from launch to launch
  for (const auto& [where, bytes] : line.by_task) {
    int64_t& last = last_of_worker[where.first];
    last = std::max(last, tasks[where.second].task);
  }
  Kept kept;
  std::map<int64_t, size_t> tasks_of_worker;
  const std::vector<int32_t> rows = application.TaskRows();
  for (const auto& [where, bytes] : line.by_task) {
    const auto& [process, task] = where;
    const int32_t row = rows[task];
    const int64_t end_ns = row < 0 ? 0 : application.tasks.finish_ns[static_cast<size_t>(row)];
    const bool has_ended = end_ns != 0 && end_ns <= held.time_ns - application.profile.bucket_ns;
    if (!has_ended && tasks[task].task == last_of_worker[process]) continue;
    kept.bytes += bytes;
    ++kept.tasks;
    kept.most_of_worker = std::max(kept.most_of_worker, ++tasks_of_worker[process]);
  }
  return kept;
}

// Sets the resident memory of these processes at about that time, and the limit of their container.
void SetMeasured(const Application& application, PythonMemory* memory) {
  const bool is_program = memory->part == PythonPart::kProgram;
  for (const MemoryParts& parts : MemoryOverTime(application)) {
    if (parts.executor != memory->held.executor) continue;
    if (parts.limit) memory->limit = parts.limit;
    const bool is_near = std::abs(parts.time_ns - memory->held.time_ns) <= kNearNs;
    const int64_t program = parts.program.value_or(0);
    const int64_t resident = is_program ? program : parts.python.value_or(0) - program;
    if (is_near && resident > 0) memory->resident = std::max(memory->resident.value_or(0), resident);
  }
  if (!memory->limit && !is_program) memory->limit = ContainerLimit(application);
}

// Number of rows that a stage's Python function gets; 0 = unknown.
int64_t RowsOf(const FindingInput& input, const Stage& stage, std::string* kind) {
  for (const PlanOperator& one : OperatorsOfStage(input.application, stage)) {
    if (!IsPythonOperator(one.kind)) continue;
    *kind = one.kind;
    if (const auto rows = one.rows_in ? one.rows_in : one.rows_out) return *rows;
  }
  const StageSummary& summary = input.stages[static_cast<size_t>(&stage - input.application.stages.data())];
  return std::max(summary.Total(TaskMetric::kInputRecords), summary.Total(TaskMetric::kShuffleReadRecords));
}

Function FunctionOf(const FindingInput& input, const HeldLine& line) {
  const Application& application = input.application;
  const std::vector<int32_t> rows = application.TaskRows();
  int64_t most_of_task = 0;
  for (const auto& [where, bytes] : line.by_task) most_of_task = std::max(most_of_task, bytes);
  std::map<int32_t, std::pair<int64_t, int64_t>> stages;  // bytes and tasks
  for (const auto& [where, bytes] : line.by_task) {
    const int32_t task = rows[where.second];
    if (task < 0 || Share(bytes, most_of_task) < kSomeOfTask) continue;
    auto& [held, tasks] = stages[application.tasks.stage[static_cast<size_t>(task)]];
    held += bytes;
    ++tasks;
  }
  stages.erase(-1);
  const auto most =
      std::ranges::max_element(stages, [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  Function function;
  if (most == stages.end()) return function;
  const auto row = static_cast<size_t>(most->first);
  function.stage = &application.stages[row];
  const auto tasks_of_stage = static_cast<int64_t>(input.stages[row].tasks.size());
  const int64_t rows_of_stage = RowsOf(input, *function.stage, &function.kind);
  // Several stages run the line, so its bytes for these rows are unknown.
  if (stages.size() > 1 || tasks_of_stage == 0) return function;
  function.tasks = most->second.second;
  function.rows_at_once = function.rows_of_task = rows_of_stage / tasks_of_stage;
  // The line holds memory for a single row, or for all rows.
  if (function.kind == "BatchEvalPython") function.rows_at_once = 0;
  if (!GetsArrowBatches(function.kind)) return function;
  const SqlExecution* const sql = ExecutionOfStage(application, *function.stage);
  const auto setting = sql == nullptr ? SettingOf(application, kBatch) : SettingOf(application, *sql, kBatch);
  const int64_t batch = setting ? ParseInteger(*setting).value_or(0) : kDefaultBatch;
  if (batch > 0) function.rows_at_once = std::min(batch, function.rows_at_once);
  return function;
}

// The line that holds the most in all executors, otherwise one that keeps much from task to task; nullopt if there is
// none.
std::optional<PythonMemory> MostPythonMemory(const FindingInput& input, PythonPart part) {
  const Application& application = input.application;
  if (application.profile.Row(Event::kPythonAlloc) == kNoEvent) return std::nullopt;
  std::optional<PythonMemory> most;
  for (int32_t executor = 0; executor < static_cast<int32_t>(application.executors.size()); ++executor) {
    std::optional<HeldLines> held = MostHeld(application, executor, part, INT64_MIN, INT64_MAX);
    if (!held || (most && held->bytes <= most->held.bytes)) continue;
    most.emplace().part = part;
    most->held = std::move(*held);
  }
  if (!most) return std::nullopt;
  SetMeasured(application, &*most);
  for (size_t row = 0; row < most->held.lines.size(); ++row) {
    const HeldLine& line = most->held.lines[row];
    most->line_row = row;
    most->kept = KeptBy(application, most->held, line);
    const bool is_much =
        line.bytes >= kMuchHeld && (!most->resident || Share(line.bytes, *most->resident) >= kMuchOfProcesses);
    if (!is_much && !most->IsKept()) continue;
    most->function = FunctionOf(input, line);
    return most;
  }
  return std::nullopt;
}

// The largest of 1, 2, 5, 10, … up to `value`; 0 if there is none.
int64_t RoundNumberUpTo(int64_t value) {
  int64_t number = 0;
  for (int64_t power = 1; power <= value; power *= 10) {
    for (const int64_t digit : {1, 2, 5}) {
      if (digit * power <= value) number = digit * power;
    }
  }
  return number;
}

std::string ChangeOfCode(const PythonMemory& memory) {
  const Function& function = memory.function;
  if (memory.part == PythonPart::kProgram)
    return fmt::format("Drop what the program no longer needs (del). {}", FewerRowsAdvice({}));
  if (memory.IsKept()) {
    return "Keep nothing in global variables, default arguments or unlimited caches from one task to the next "
           "(functools.lru_cache(maxsize=…) has a limit). spark.python.worker.reuse=false ends each worker with its "
           "task";
  }
  if (function.kind.starts_with("FlatMap") && Contains(function.kind, "Groups"))
    return "The function gets a whole group at once: aggregate before it, or divide large groups by a further key";
  if (function.kind == "BatchEvalPython")
    return "Drop what the function no longer needs (del) before it allocates more";
  if (function.kind == "ArrowEvalPython")
    return "Make the function an iterator UDF (Iterator[pandas.Series]) that drops each batch before it takes the next";
  return "Yield rows or batches, as mapInPandas() and mapPartitions() permit, instead of collecting them in a list";
}

// Advises a batch size with which the line holds kBatchBytes; empty if batches are not the cause.
std::string ChangeOfBatches(const PythonMemory& memory) {
  const int64_t bytes = memory.BytesPerRow();
  if (memory.IsKept() || bytes == 0 || !GetsArrowBatches(memory.function.kind)) return {};
  const int64_t rows = RoundNumberUpTo(kBatchBytes / bytes);
  if (rows == 0 || rows >= memory.function.rows_at_once) return {};
  return fmt::format(". Set {}={}: the line then holds about {} for a batch", kBatch, rows, FormatBytes(rows * bytes));
}

// Advises more memory if a limit is near.
std::string ChangeOfLimits(const Application& application, const PythonMemory& memory) {
  std::string change;
  if (memory.part == PythonPart::kProgram) return change;
  const int64_t tree = LargestTree(application, memory.held.executor);
  const std::optional<int64_t> limit = ContainerLimit(application);
  if (limit && Share(tree, *limit) >= kNearLimit) change = fmt::format(". {}", OverheadAdvice(application, tree));
  const std::optional<int64_t> of_workers = MemorySetting(application, kWorkerMemory);
  const int64_t resident = memory.resident.value_or(memory.held.bytes);
  if (of_workers && static_cast<double>(resident) * kHeadroom > static_cast<double>(*of_workers))
    change += fmt::format(". Set {}={}", kWorkerMemory, SizeToSet(static_cast<double>(resident) * kHeadroom));
  return change;
}

std::string TextOfHolding(const Application& application, const PythonMemory& memory) {
  const int64_t since_ns = memory.held.time_ns - RangeOf(application).start_ns;
  const std::string& executor = application.executors[static_cast<size_t>(memory.held.executor)].id;
  std::string holder = "the driver's Python program";
  if (memory.part == PythonPart::kWorkers)
    holder = "the Python workers of " + (executor == "driver" ? "the driver" : "executor " + executor);
  std::string text = fmt::format("After {}, {} held {} of Python objects and NumPy arrays, {} of it allocated by {}",
                                 FormatDuration(since_ns), holder, FormatBytes(memory.held.bytes),
                                 FormatBytes(memory.Line().bytes), memory.Line().line);
  if (memory.IsKept()) {
    text += fmt::format(", {} for {} that had ended, {} each", FormatBytes(memory.kept.bytes),
                        Counted(static_cast<int64_t>(memory.kept.tasks), "task"),
                        FormatBytes(memory.kept.bytes / static_cast<int64_t>(memory.kept.tasks)));
  }
  if (const int64_t bytes = memory.BytesPerRow(); bytes > 0) {
    const bool is_of_batch = memory.function.rows_at_once < memory.function.rows_of_task && !memory.IsKept();
    text += fmt::format("; about {} per row{}", FormatBytes(bytes), is_of_batch ? " of a batch" : "");
  }
  return text;
}

std::vector<const HeldLine*> LinesShown(const PythonMemory& memory) {
  std::vector<const HeldLine*> lines = {&memory.Line()};
  for (const HeldLine& line : memory.held.lines) {
    if (&line != &memory.Line() && lines.size() < kLinesShown) lines.push_back(&line);
  }
  return lines;
}

std::string Measured(const PythonMemory& memory) {
  std::string text;
  if (memory.resident) {
    text = fmt::format("{} of the {} of resident memory of {}",
                       FormatShare(Share(memory.Line().bytes, *memory.resident)), FormatBytes(*memory.resident),
                       memory.part == PythonPart::kProgram ? "the program" : "these workers");
  }
  if (memory.limit) {
    text += fmt::format("{}{} of the container's limit of {}", text.empty() ? "" : ", ",
                        FormatShare(Share(memory.Line().bytes, *memory.limit)), FormatBytes(*memory.limit));
  }
  for (const HeldLine* line : LinesShown(memory)) {
    if (line != &memory.Line())
      text += fmt::format("{}{} held by {}", text.empty() ? "" : "; ", FormatBytes(line->bytes), line->line);
  }
  return text.empty() ? "samples of pyalloc" : text;
}

std::optional<Finding> FindMemoryOf(const FindingInput& input, PythonPart part) {
  const Application& application = input.application;
  const std::optional<PythonMemory> memory = MostPythonMemory(input, part);
  if (!memory) return std::nullopt;
  const HeldLine& line = memory->Line();
  const bool is_program = part == PythonPart::kProgram;
  Finding finding;
  finding.title = fmt::format("{} {} {} in {}{}", line.line, memory->IsKept() ? "keeps" : "holds",
                              FormatBytes(line.bytes), is_program ? "the driver's Python program" : "Python workers",
                              memory->IsKept() ? " from task to task" : "");
  if (is_program) {
    finding.id = "driver";
    finding.cause = kDriverProgramRole;
  }
  finding.what = TextOfHolding(application, *memory);
  finding.evidence = Measured(*memory);
  finding.condition = fmt::format(
      "By samples of pyalloc, a line holds at least {} in the driver's Python program or the Python workers of an "
      "executor, and {} of their resident memory, or at least {} of tasks that ended, {} of them of one worker",
      FormatBytes(kMuchHeld), FormatShare(kMuchOfProcesses), FormatBytes(kMuchKept), kTasksKept);
  const bool is_near_limit =
      memory->limit && Share(LargestTree(application, memory->held.executor), *memory->limit) >= kNearLimit;
  finding.risk = is_near_limit ? kRiskAtLimit : kRiskOfGrowth;
  finding.selection.event = EventName(Event::kPythonLive);
  finding.selection.executor = application.executors[static_cast<size_t>(memory->held.executor)].id;
  if (memory->function.stage != nullptr) finding.stages = {memory->function.stage->id};
  for (const HeldLine* each : LinesShown(*memory)) finding.frames.push_back(each->line);
  finding.change = ChangeOfCode(*memory) + ChangeOfBatches(*memory) + ChangeOfLimits(application, *memory);
  return finding;
}

constexpr int64_t kMuchWorkerGrowth = int64_t{256} << 20;
constexpr int64_t kSampleBucketNs = kNanosPerSecond;
constexpr size_t kGrowingLinesShown = 3;

struct GrowingWorker {
  const ApplicationProcess* process = nullptr;
  std::vector<SeriesPoint> memory;  // resident, from the start of its first task
  int64_t first_bytes = 0;
  int64_t peak_bytes = 0;

  int64_t Growth() const { return peak_bytes - first_bytes; }
};

bool IsTaskOf(const PythonTask& task, const Process& process) {
  return task.pid == process.pid && task.start_ticks == process.start_ticks && task.task != kNoTask;
}

// A worker starts as a copy of its daemon, and may have grown before its first reading.
std::optional<SeriesPoint> PointAtStart(const Application& application, const ApplicationProcess& worker,
                                        const SeriesPoint& first) {
  SeriesPoint start{0, 0};
  for (const PythonTask& task : application.python_tasks) {
    const bool is_earlier = start.time_ns == 0 || task.begin_ns < start.time_ns;
    if (IsTaskOf(task, worker.process) && is_earlier) start.time_ns = task.begin_ns;
  }
  if (start.time_ns == 0 || start.time_ns >= first.time_ns) return std::nullopt;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != "process.rss_bytes" || series.process < 0) continue;
    const ApplicationProcess& other = application.processes[static_cast<size_t>(series.process)];
    const bool is_daemon = other.process.role == "python_daemon" && other.executor == worker.executor &&
                           other.process.pid == worker.process.parent_pid;
    for (const SeriesPoint& point : series.points) {
      if (is_daemon && point.time_ns <= first.time_ns) start.value = point.value;
    }
  }
  return start.value == 0 || start.value >= first.value ? std::nullopt : std::optional(start);
}

std::vector<GrowingWorker> GrowingWorkers(const Application& application) {
  std::vector<GrowingWorker> workers;
  for (const ApplicationSeries& series : application.series) {
    if (series.process < 0 || series.points.empty() || series.name != "process.rss_bytes") continue;
    GrowingWorker worker;
    worker.process = &application.processes[static_cast<size_t>(series.process)];
    if (worker.process->process.role != "python_worker") continue;
    worker.memory = series.points;
    const auto start = PointAtStart(application, *worker.process, series.points.front());
    if (start) worker.memory.insert(worker.memory.begin(), *start);
    worker.first_bytes = static_cast<int64_t>(worker.memory.front().value);
    for (const SeriesPoint& point : worker.memory) {
      worker.peak_bytes = std::max(worker.peak_bytes, static_cast<int64_t>(point.value));
    }
    if (worker.Growth() >= kMuchWorkerGrowth) workers.push_back(worker);
  }
  std::ranges::sort(workers, [](const GrowingWorker& a, const GrowingWorker& b) { return a.Growth() > b.Growth(); });
  return workers;
}

// Tasks that a worker ran before its memory peaked.
std::set<int64_t> TasksOf(const Application& application, const GrowingWorker& worker) {
  const int64_t peak_ns = std::ranges::max_element(worker.memory, {}, &SeriesPoint::value)->time_ns;
  const Process& process = worker.process->process;
  std::set<int64_t> tasks;
  for (const PythonTask& task : application.python_tasks) {
    if (IsTaskOf(task, process) && task.begin_ns <= peak_ns) tasks.insert(task.task);
  }
  return tasks;
}

// The user's lines that ran while the worker's memory grew, with the bytes: an increase counts for the lines that used
// the CPU between the two readings.
std::vector<std::pair<int64_t, std::string>> GrowingLines(const Application& application, const GrowingWorker& worker) {
  const Profile& profile = application.profile;
  const EventId cpu = profile.Row(Event::kCpu);
  std::vector<std::pair<int64_t, const Sample*>> samples;  // sorted by time
  for (const Sample& sample : application.python_samples) {
    const ProfileThread& thread = profile.threads[sample.thread];
    const bool is_own = thread.process == worker.process->process.pid && thread.executor == worker.process->executor;
    if (is_own && sample.event == cpu) samples.emplace_back(sample.time_ns, &sample);
  }
  std::ranges::sort(samples);
  std::map<std::string, double> bytes_by_line;
  const std::vector<SeriesPoint>& points = worker.memory;
  for (size_t i = 1; i < points.size(); ++i) {
    const double growth = points[i].value - points[i - 1].value;
    if (growth <= 0) continue;
    auto sample = std::lower_bound(samples.begin(), samples.end(),
                                   std::pair<int64_t, const Sample*>(points[i - 1].time_ns - kSampleBucketNs, nullptr));
    std::map<std::string, double> weights;
    double total = 0;
    for (; sample != samples.end() && sample->first < points[i].time_ns; ++sample) {
      const auto weight = static_cast<double>(sample->second->weight);
      weights[UserLine(profile, sample->second->stack)] += weight;
      total += weight;
    }
    for (const auto& [line, weight] : weights) bytes_by_line[line] += growth * weight / total;
  }
  bytes_by_line.erase("");
  std::vector<std::pair<int64_t, std::string>> lines;
  for (const auto& [line, bytes] : bytes_by_line) lines.emplace_back(static_cast<int64_t>(bytes), line);
  std::sort(lines.rbegin(), lines.rend());
  return lines;
}

}  // namespace

std::optional<Finding> FindPythonMemory(const FindingInput& input) { return FindMemoryOf(input, PythonPart::kWorkers); }

std::optional<Finding> FindProgramMemory(const FindingInput& input) {
  return FindMemoryOf(input, PythonPart::kProgram);
}

std::optional<Finding> FindGrowingWorkers(const FindingInput& input) {
  const Application& application = input.application;
  const std::vector<GrowingWorker> workers = GrowingWorkers(application);
  if (workers.empty()) return std::nullopt;
  const GrowingWorker& largest = workers.front();
  const std::vector<std::pair<int64_t, std::string>> lines = GrowingLines(application, largest);
  if (lines.empty()) return std::nullopt;
  const std::set<int64_t> tasks = TasksOf(application, largest);
  Finding finding;
  finding.title = fmt::format("{} Python worker{} by up to {}", workers.size(),
                              workers.size() == 1 ? " grows" : "s grow", FormatBytes(largest.Growth()));
  finding.what = fmt::format("The Python worker {} grew from {} to {}", largest.process->process.pid,
                             FormatBytes(largest.first_bytes), FormatBytes(largest.peak_bytes));
  if (!tasks.empty()) {
    const auto count = static_cast<int64_t>(tasks.size());
    finding.what += fmt::format(" over {} task{}, {} per task", count, count == 1 ? "" : "s",
                                FormatBytes(largest.Growth() / count));
  }
  finding.evidence = "while its memory grew, it ran";
  for (size_t i = 0; i < std::min(lines.size(), kGrowingLinesShown); ++i) {
    finding.evidence +=
        fmt::format("{} {} (about {})", i == 0 ? "" : ",", lines[i].second, FormatBytes(lines[i].first));
    finding.frames.push_back(lines[i].second);
  }
  finding.condition =
      fmt::format("The resident memory of a Python worker grows by at least {} while the user's code runs",
                  FormatBytes(kMuchWorkerGrowth));
  finding.risk = kRiskOfGrowth;
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.tasks.assign(tasks.begin(), tasks.end());
  finding.change =
      "Yield rows instead of collecting them in a list, keep nothing in global variables from one task to the next, "
      "and process smaller batches (spark.sql.execution.arrow.maxRecordsPerBatch). spark.executor.pyspark.memory "
      "limits each worker";
  return finding;
}

}  // namespace sparkprof
