// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/plans/reader_jobs.h"
#include "analysis/findings/rules.h"
#include "analysis/plans/datasets.h"

namespace sparkprof {
namespace {

// A query with its jobs, or a job without a query.
struct QueryRun {
  int64_t begin_ns = 0;      // start of its planning
  int64_t first_job_ns = 0;  // submission of its first job
  int64_t end_ns = 0;        // end of its last job
  const SqlExecution* sql = nullptr;
  std::string call_site;
  std::vector<int64_t> stages;  // IDs
  std::vector<uint32_t> tasks;  // rows
  bool is_of_library = false;   // iterations of an algorithm, and queries of a table format

  int64_t Duration() const { return end_ns - begin_ns; }
};

// Runs of the program, by time of submission, without jobs of readers and batches of streams.
std::vector<QueryRun> QueryRuns(const FindingInput& input) {
  const Application& application = input.application;
  std::unordered_map<int64_t, const SqlExecution*> executions;
  for (const SqlExecution& sql : application.sql_executions) executions[sql.id] = &sql;
  std::map<std::pair<bool, int64_t>, QueryRun> runs;  // by query, or by job without a query
  std::unordered_map<int64_t, QueryRun*> of_job;
  for (const Job& job : application.jobs) {
    if (job.submit_ns <= 0 || job.end_ns <= 0 || IsReaderJob(application, job)) continue;
    const auto sql = executions.find(job.sql_execution);
    const bool is_query = sql != executions.end();
    // Text logs do not mark batches of streams: their call site is DataStreamWriter.start().
    if (!is_query && job.name.starts_with("start at ")) continue;
    QueryRun& run = runs[{is_query, is_query ? sql->first : job.id}];
    if (run.end_ns == 0) {
      run.sql = is_query ? sql->second : nullptr;
      run.call_site = is_query ? sql->second->description : job.name;
      run.first_job_ns = job.submit_ns;
    }
    run.first_job_ns = std::min(run.first_job_ns, job.submit_ns);
    run.end_ns = std::max(run.end_ns, job.end_ns);
    run.stages.insert(run.stages.end(), job.stages.begin(), job.stages.end());
    of_job[job.id] = &run;
  }
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const auto run = of_job.find(application.stages[row].job);
    if (run == of_job.end()) continue;
    run->second->is_of_library |= !WorkOf(input, application.stages[row]).library.empty();
    const std::vector<uint32_t>& tasks = input.stages[row].tasks;
    run->second->tasks.insert(run->second->tasks.end(), tasks.begin(), tasks.end());
  }
  std::vector<QueryRun> in_order;
  for (auto& [id, run] : runs) {
    const bool is_planned = run.sql != nullptr && run.sql->start_ns > 0;
    run.begin_ns = is_planned ? std::min(run.sql->start_ns, run.first_job_ns) : run.first_job_ns;
    in_order.push_back(std::move(run));
  }
  std::ranges::stable_sort(in_order, {}, &QueryRun::begin_ns);
  return in_order;
}

constexpr size_t kManyRuns = 30;                         // per line
constexpr double kMuchLooping = 0.2;                     // share of the application's duration
constexpr int64_t kShortRunNs = 2 * kNanosPerSecond;     // longer runs do not depend on their startup
constexpr int64_t kLongPauseNs = 3 * kNanosPerSecond;    // between two runs: a person at a prompt, or a trigger
constexpr size_t kPlanTimesLarger = 3, kLargePlan = 30;  // last plan compared with the first; number of operators
constexpr size_t kManyGrowing = 5;                       // runs with a larger plan than the previous one

// The line of the program; empty for Python programs, whose calls come from one line of Java.
std::string LineOf(std::string_view call_site) {
  std::string line = ShortCallSite(call_site);
  const bool is_of_python = Contains(line, "NativeMethodAccessorImpl.java") || Contains(line, " at <unknown>");
  return is_of_python ? line.substr(0, line.find(" at ")) + "()" : line;
}

std::map<std::string, std::vector<QueryRun>> RunsByLine(const FindingInput& input) {
  std::map<std::string, std::vector<QueryRun>> runs;
  for (QueryRun& run : QueryRuns(input)) {
    if (!run.is_of_library) runs[LineOf(run.call_site)].push_back(std::move(run));
  }
  return runs;
}

int64_t MedianTime(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct JobLoop {
  std::string line;
  std::vector<QueryRun> runs;
  bool plan_grows = false;
  int64_t time_ns = 0;     // sum of its runs
  int64_t fastest_ns = 0;  // fastest run
  int64_t median_ns = 0;   // median run
  int64_t pause_ns = 0;    // median between two runs
};

size_t OperatorCount(const QueryRun& run) { return run.sql == nullptr ? 0 : OperatorsOf(run.sql->plan).size(); }

// True if each run recomputes what the previous runs did.
bool PlanGrows(const std::vector<QueryRun>& runs) {
  const size_t first = OperatorCount(runs.front()), last = OperatorCount(runs.back());
  if (runs.size() < kManyGrowing || last < kLargePlan || last < kPlanTimesLarger * std::max<size_t>(1, first))
    return false;
  const auto shrinks = [](const QueryRun& a, const QueryRun& b) { return OperatorCount(a) > OperatorCount(b); };
  return std::ranges::adjacent_find(runs, shrinks) == runs.end();
}

// The only source of a query without a cache: "csv file:/data/sales"; empty if there are others, or none.
std::string SourceRead(const QueryRun& run) {
  if (run.sql == nullptr) return {};
  const std::vector<PlanOperator> operators = OperatorsOf(run.sql->plan);
  std::string source;
  for (const PlanOperator& one : operators) {
    if (SourceOf(operators, one).empty() || IsBelowCache(operators, one)) continue;
    std::string text = SourceText(one);
    if (!source.empty() && text != source) return {};
    source = std::move(text);
  }
  return source;
}

bool Writes(const QueryRun& run) {
  if (run.sql == nullptr) return false;
  return std::ranges::any_of(OperatorsOf(run.sql->plan), [](const PlanOperator& one) { return IsWrite(one.kind); });
}

// The source that all runs read again; may be empty.
std::string SourceReadAgain(const std::vector<QueryRun>& runs) {
  std::string source = SourceRead(runs.front());
  const bool is_common = std::ranges::all_of(runs, [&](const QueryRun& run) { return SourceRead(run) == source; });
  return is_common ? source : std::string();
}

// Time of the operators that runs have in addition to the first, assuming equal times for all operators.
int64_t TimeOfGrowth(const JobLoop& loop) {
  size_t operators = 0;
  for (const QueryRun& run : loop.runs) operators += OperatorCount(run);
  const size_t first = loop.runs.size() * OperatorCount(loop.runs.front());
  return Scaled(loop.time_ns, 1 - Share(static_cast<int64_t>(first), static_cast<int64_t>(operators)));
}

// `resolution_ns`: resolution of the runs' times.
JobLoop LoopOf(const std::string& line, const std::vector<QueryRun>& runs, int64_t resolution_ns) {
  JobLoop loop{line, runs, PlanGrows(runs)};
  std::vector<int64_t> durations, pauses;
  size_t side_by_side = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    durations.push_back(runs[i].Duration());
    loop.time_ns += runs[i].Duration();
    if (i == 0) continue;
    pauses.push_back(std::max<int64_t>(0, runs[i].begin_ns - runs[i - 1].end_ns));
    side_by_side += runs[i].begin_ns + resolution_ns < runs[i - 1].end_ns ? 1 : 0;
  }
  loop.fastest_ns = *std::ranges::min_element(durations);
  loop.pause_ns = MedianTime(std::move(pauses));
  loop.median_ns = MedianTime(std::move(durations));
  // Several threads start them, as joblib does, so their order does not matter.
  const bool is_one_thread = 2 * side_by_side <= runs.size();
  const bool is_loop =
      runs.size() >= kManyRuns && is_one_thread && loop.median_ns <= kShortRunNs && loop.pause_ns <= kLongPauseNs;
  return is_loop || loop.plan_grows ? loop : JobLoop{};
}

constexpr size_t kSeveralQueries = 3;
constexpr int64_t kLongQueryNs = kNanosPerSecond;
constexpr size_t kLoopQueries = 10;  // number of queries of one line
constexpr int64_t kLoopQueryNs = kNanosPerSecond / 5;
constexpr double kMostlyNarrow = 0.6;      // share of a query's time in which tasks use at most half of the cores
constexpr Removal kSideBySide{0, 0.5, 1};  // the next query may need a result of the previous one

struct TaskUse {
  int64_t task_ns = 0, narrow_ns = 0;  // time of all tasks; time in which they use at most half of the cores
};

TaskUse UseOf(const FindingInput& input, const QueryRun& query) {
  const Tasks& tasks = input.application.tasks;
  std::vector<std::pair<int64_t, int64_t>> changes;  // launches (+1) and ends (-1)
  TaskUse use;
  for (const uint32_t task : query.tasks) {
    if (tasks.launch_ns[task] <= 0 || tasks.finish_ns[task] <= tasks.launch_ns[task]) continue;
    changes.emplace_back(tasks.launch_ns[task], 1);
    changes.emplace_back(tasks.finish_ns[task], -1);
    use.task_ns += tasks.finish_ns[task] - tasks.launch_ns[task];
  }
  std::ranges::sort(changes);
  int64_t running = 0, since_ns = 0;
  for (const auto& [time_ns, change] : changes) {
    if (running > 0 && 2 * running <= input.cores) use.narrow_ns += time_ns - since_ns;
    running += change;
    since_ns = time_ns;
  }
  return use;
}

// True if the query mostly uses at most half of the cores.
bool IsNarrow(const FindingInput& input, const QueryRun& query) {
  const int64_t time_ns = query.end_ns - query.first_job_ns;
  const TaskUse use = UseOf(input, query);
  return Share(use.task_ns, input.cores * time_ns) <= kMostlyNarrow && Share(use.narrow_ns, time_ns) >= kMostlyNarrow;
}

// By query ID: how many queries must run before it, one after another, as each writes what the next one reads.
std::map<int64_t, int64_t> LevelsOf(const Application& application) {
  struct Uses {
    std::vector<size_t> reads, writes;  // rows of data sets
  };
  const std::vector<DatasetUse> datasets = DatasetsOf(application);
  std::map<int64_t, Uses> queries;  // by ID, in order of time
  for (size_t row = 0; row < datasets.size(); ++row) {
    for (const int64_t reader : datasets[row].read_by) queries[reader].reads.push_back(row);
    for (const int64_t writer : datasets[row].written_by) queries[writer].writes.push_back(row);
  }
  std::vector<int64_t> of_readers(datasets.size());
  std::map<int64_t, int64_t> levels;
  for (const auto& [id, uses] : queries) {
    int64_t& level = levels[id];
    for (const size_t row : uses.reads) level = std::max(level, of_readers[row]);
    for (const size_t row : uses.writes) of_readers[row] = std::max(of_readers[row], level + 1);
  }
  return levels;
}

// Queries that could run concurrently: narrow, consecutive, and independent of each other's output. Short ones count
// if a loop of a program starts them.
std::vector<QueryRun> SideBySide(const FindingInput& input) {
  const std::vector<QueryRun> queries = QueryRuns(input);
  std::map<std::string_view, size_t> of_line;
  for (const QueryRun& query : queries) ++of_line[query.call_site];
  const bool is_session = IsInteractive(input.application);
  std::vector<QueryRun> chosen;
  int64_t busy_until_ns = 0;
  for (const QueryRun& query : queries) {
    const bool is_after = query.first_job_ns >= busy_until_ns;
    busy_until_ns = std::max(busy_until_ns, query.end_ns);
    if (!is_after && !chosen.empty() && chosen.back().end_ns > query.first_job_ns) chosen.pop_back();
    const bool is_of_loop = !is_session && of_line[query.call_site] >= kLoopQueries;
    const bool is_long = query.end_ns - query.first_job_ns >= (is_of_loop ? kLoopQueryNs : kLongQueryNs);
    if (is_after && is_long && !query.is_of_library && IsNarrow(input, query)) chosen.push_back(query);
  }
  std::map<int64_t, int64_t> levels = LevelsOf(input.application), time_ns;
  const auto level_of = [&](const QueryRun& query) { return query.sql == nullptr ? 0 : levels[query.sql->id]; };
  for (const QueryRun& query : chosen) time_ns[level_of(query)] += query.end_ns - query.first_job_ns;
  const auto most = LargestEntry(time_ns);
  std::erase_if(chosen, [&](const QueryRun& query) { return level_of(query) != most->first; });
  return chosen;
}

// True if a person may have started them, with pauses; a script run by a shell has none.
bool HavePauses(const std::vector<QueryRun>& queries) {
  constexpr int64_t kPauseNs = kNanosPerSecond;
  size_t pauses = 0;
  for (size_t i = 1; i < queries.size(); ++i)
    pauses += queries[i].first_job_ns - queries[i - 1].end_ns > kPauseNs ? 1 : 0;
  return 2 * pauses >= queries.size();
}

}  // namespace

std::optional<Finding> FindJobLoops(const FindingInput& input) {
  const Application& application = input.application;
  if (!application.streaming_queries.empty()) return std::nullopt;
  const int64_t resolution_ns = HasOnlyLogs(application) ? kNanosPerSecond : 0;
  JobLoop worst;
  for (const auto& [line, runs] : RunsByLine(input)) {
    if (runs.size() < kManyGrowing || line.empty()) continue;
    JobLoop loop = LoopOf(line, runs, resolution_ns);
    if (loop.time_ns > worst.time_ns) worst = std::move(loop);
  }
  if (Share(worst.time_ns, input.duration_ns) < kMuchLooping || worst.time_ns < kWorthwhileNs) return std::nullopt;
  const bool plan_grows = worst.plan_grows;
  const auto count = static_cast<int64_t>(worst.runs.size());
  const char* const noun = worst.runs.front().sql == nullptr ? "job" : "query";
  const std::string runs = worst.runs.front().sql == nullptr ? Counted(count, "job") : CountText(count) + " queries";
  const bool is_line_known = IsOfProgram(worst.line);
  Finding finding;
  finding.title = plan_grows ? fmt::format("A loop runs {}, and its plan grows from {} to {} operators", runs,
                                           OperatorCount(worst.runs.front()), OperatorCount(worst.runs.back()))
                             : fmt::format("A loop runs {} of {}", runs, is_line_known ? "one line" : worst.line);
  finding.what =
      fmt::format("{} ran {} times, for {} in total", worst.line, CountText(count), FormatDuration(worst.time_ns));
  const std::string source = plan_grows ? std::string() : SourceReadAgain(worst.runs);
  if (!source.empty()) {
    finding.title += ", and each reads the same data again";
    finding.what += fmt::format("; each reads {}", source);
  }
  finding.evidence = fmt::format("the fastest {} takes {}; between two of them {}", noun,
                                 FormatDuration(worst.fastest_ns), FormatDuration(worst.pause_ns));
  finding.condition = fmt::format(
      "One line starts at least {} short jobs or queries, or at least {} queries, each with a larger plan than the one "
      "before, and they take at least {} of the duration; not in streams or libraries",
      kManyRuns, kManyGrowing, FormatShare(kMuchLooping));
  finding.selection.event = EventName(Event::kCpu);
  for (const QueryRun& run : worst.runs)
    finding.stages.insert(finding.stages.end(), run.stages.begin(), run.stages.end());
  if (is_line_known) finding.frames = {worst.line};
  finding.change = plan_grows
                       ? "Cut the plan in the loop: persist() or localCheckpoint() the result of each iteration, or "
                         "checkpoint() it every few, so that the next one does not compute all before it again; or one "
                         "expression instead of many withColumn() and union() calls"
                       : "Compute all of it in one job: group by the loop's variable and collect() once, or join with "
                         "the values of the loop. If the jobs are independent, start them from several threads";
  if (!source.empty()) {
    finding.change = std::ranges::all_of(worst.runs, Writes)
                         ? "Read the data once and write all of it in one query: repartition() by the loop's variable, "
                           "and partitionBy() of it (spark.sql.sources.partitionOverwriteMode=dynamic keeps the other "
                           "partitions). Otherwise cache() the data before the loop"
                         : "Compute all of it in one query: one agg() with the expressions of all runs, or group by "
                           "the loop's variable and collect() once. Otherwise cache() the data before the loop";
  }
  // Each run has the cost of the fastest one, of which one remains; the rest may be work that a single job does as
  // well. With a growing plan, each run would take as long as the fastest without the previous runs, or less, as the
  // first one also compiles the program; or as long as the first one by the number of operators.
  const bool is_measured = plan_grows && worst.runs.size() < kManyRuns;
  const int64_t again_ns = is_measured  ? std::max(worst.time_ns - count * worst.fastest_ns, TimeOfGrowth(worst))
                           : plan_grows ? worst.time_ns
                                        : (count - 1) * worst.median_ns;
  const double fixed = Share(worst.fastest_ns, worst.median_ns);
  const Removal removal{kMost.low * fixed, kMost.likely * (1 + fixed) / 2, kMost.high};
  finding.claim = ClaimStages(input, finding.stages, again_ns, is_measured ? kMost : plan_grows ? kHalf : removal);
  if (!plan_grows) finding.claim.wall_ns += worst.pause_ns * (count - 1);
  return finding;
}

std::optional<Finding> FindSerialQueries(const FindingInput& input) {
  const Application& application = input.application;
  if (input.cores < 2 || !application.streaming_queries.empty()) return std::nullopt;
  const std::vector<QueryRun> queries = SideBySide(input);
  if (queries.size() < kSeveralQueries || (IsInteractive(application) && HavePauses(queries))) return std::nullopt;
  int64_t time_ns = 0, task_ns = 0, longest_ns = 0;
  std::set<std::string> lines;
  Finding finding;
  for (const QueryRun& query : queries) {
    const int64_t of_query_ns = query.end_ns - query.first_job_ns;
    time_ns += of_query_ns;
    task_ns += UseOf(input, query).task_ns;
    longest_ns = std::max(longest_ns, of_query_ns);
    if (std::string line = ShortCallSite(query.call_site); IsOfProgram(line)) lines.insert(std::move(line));
    finding.stages.insert(finding.stages.end(), query.stages.begin(), query.stages.end());
  }
  const int64_t saved_ns = time_ns - std::max(longest_ns, task_ns / input.cores);
  if (saved_ns < kWorthwhileNs || Share(saved_ns, input.duration_ns) < kMuchOfTime) return std::nullopt;
  const auto count = static_cast<int64_t>(queries.size());
  const bool are_queries = std::ranges::any_of(queries, [](const auto& one) { return one.sql != nullptr; });
  const std::string_view noun = are_queries ? "queries" : "jobs";
  finding.title = fmt::format("{} {} run one after another, each on at most half of the cores", count, noun);
  finding.what = fmt::format("{} {} took {} in total, and none of them waits for the output of another", count, noun,
                             FormatDuration(time_ns));
  finding.evidence = fmt::format("their tasks took {} on {}; the longest took {}", FormatDuration(task_ns),
                                 Counted(input.cores, "core"), FormatDuration(longest_ns));
  finding.condition = fmt::format(
      "At least {} queries of at least {}, or {} if one line starts {}, run one after another, each for {} of its time "
      "with tasks on at most half of the cores, and none reads what another writes; not those of libraries, streams "
      "and persons at a shell",
      kSeveralQueries, FormatDuration(kLongQueryNs), FormatDuration(kLoopQueryNs), kLoopQueries,
      FormatShare(kMostlyNarrow));
  finding.selection.event = EventName(Event::kCpu);
  finding.frames.assign(lines.begin(), lines.end());
  finding.change = fmt::format(
      "Start them from {} threads: {}. If the program needs one result for the next query, give each more partitions "
      "instead",
      std::min(count, input.cores),
      IsPythonProgram(application) ? "concurrent.futures.ThreadPoolExecutor" : "Future, or parallel collections");
  finding.claim = ClaimStages(input, finding.stages, saved_ns, kSideBySide);
  return finding;
}

}  // namespace sparkprof
