// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/python/worker_times.h"
#include "analysis/findings/rules.h"
#include "analysis/machines/series.h"
#include "analysis/time/stage_summary.h"

namespace sparkprof {
namespace {

constexpr double kMuchPython = 0.4;     // share of the tasks' wall-clock samples
constexpr double kAlmostNoCpu = 0.1;    // share of a core
constexpr double kSomePassing = 0.1;    // share of the workers' CPU time
constexpr double kMostlyPassing = 0.5;  // share of the workers' CPU time
constexpr double kManyFailing = 0.3;    // share of tasks
constexpr double kSomeArrays = 0.03;    // share of the user code's CPU time
constexpr int64_t kSlowRecordNs = 5 * kNanosPerMilli;
constexpr int64_t kLongCallNs = 100 * kNanosPerMicro;  // per record; passing one takes a few µs
// Time per record of a Python line that calls no Python function. A hundred steps of the interpreter take less.
constexpr int64_t kNativeLineNs = 5 * kNanosPerMicro;
constexpr double kMostlyByRow = 0.4;      // share of the workers' CPU time
constexpr double kMostlyOneLine = 0.7;    // share of the user code's CPU time
constexpr size_t kFewLines = 3;           // lines with similar times, as in array arithmetic
constexpr int64_t kBlockBytes = 1 << 20;  // per record of an RDD; PySpark passes small records in batches of 64 KiB
constexpr int64_t kRecordsOfTask = 10;    // with fewer records, Python's startup is a large part
constexpr double kMuchUnknown = 0.5;      // share of run time outside the JVM's CPU time, without samples

// Time that PySpark itself needs for a group of rows; most time of a function with some calls of pandas, for few rows.
constexpr int64_t kLeastOfGroupNs = kNanosPerMilli / 5, kMostOfGroupNs = 20 * kNanosPerMilli;
constexpr int64_t kRowsOfGroup = 1'000;  // for more rows, the work of pandas exceeds the cost of its calls
// Without samples, a record that takes milliseconds most likely calls a service.
constexpr Removal kUnseenCalls{0, 0.4, 0.9};
// Code that is slow for each record, however it is called.
constexpr Removal kOwnWork{0, 0.02, 0.2};

struct PythonShare {
  double of_run_time = 0;    // also what the JVM waits for while rows are passed; of computing code
  bool is_known = false;     // known whether Python computes or sleeps
  bool is_measured = false;  // Spark's metrics include the workers' time
};

PythonShare ShareOfPython(const FindingInput& input, const Stage& stage, const StageSummary& summary,
                          const PythonWork& work) {
  const double wait = ShareOfPythonWait(summary);
  // FindZipReads handles repeated reads of zip files, FindLargeClosures large functions.
  const double zip = std::min(Share(work.zip_ns, work.all_cpu_ns), Share(work.zip_wall_ns, work.all_wall_ns));
  const double others = std::min(1.0, zip + Share(work.closure_ns, work.all_cpu_ns));
  if (summary.wall_samples_ns > 0) return {wait * (1 - Share(work.sleep_ns, work.wall_ns)) * (1 - others), true};
  // Tasks of a failed stage, or of one with many failures, spend their time on failing.
  const double failed = Share(summary.failed_tasks, static_cast<int64_t>(summary.tasks.size()));
  if (stage.status == RunStatus::kFailed || failed >= kManyFailing || !HasCpuTime(input.application)) return {};
  if (!UsesPython(input.application, stage, summary)) return {};
  const PythonMetrics metrics = PythonMetricsOf(input.application, stage);
  if (metrics.run_ns == 0) return {wait, false};
  return {std::min(wait, Share(metrics.run_ns, summary.Total(TaskMetric::kExecutorRunTime))), false, true};
}

// True if the function passed to reduceByKey() at a line of the program, "reduceByKey at job.py:31", dominates the work
// there and only concatenates, which copies all data so far for each further record.
bool Concatenates(const Stage& stage, const StageSummary& summary, const PythonWork& work) {
  constexpr double kMuchWork = 0.3;   // share of Python's CPU time
  constexpr int64_t kTimesLess = 10;  // the shuffle is compressed
  const std::string call = ShortCallSite(stage.name);
  const size_t place = call.find(" at ");
  if (work.by_cpu.empty() || !call.starts_with("reduceByKey at ")) return false;
  const PythonLine& line = work.by_cpu.front();
  const bool is_there = line.text.ends_with(fmt::format("({})", call.substr(place + 4)));
  return is_there && Share(line.own_cpu_ns, work.all_cpu_ns) >= kMuchWork &&
         kTimesLess * summary.Total(TaskMetric::kShuffleWriteBytes) >= summary.Total(TaskMetric::kInputBytes);
}

// The groups of rows, or pairs of groups, for each of which the stage calls Python, as applyInPandas() does, at most:
// functions return a row or more for each. 0 = none.
int64_t MostGroups(const Application& application, const Stage& stage, int64_t records) {
  for (const PlanOperator& one : OperatorsOfStage(application, stage)) {
    if (one.kind.starts_with("FlatMapGroups") || one.kind.starts_with("FlatMapCoGroups"))
      return std::max<int64_t>(1, one.rows_out.value_or(records));
  }
  return 0;
}

struct PythonStage {
  const FindingInput& input;
  const Stage& stage;
  const StageSummary& summary;
  const PythonWork& work;
  PythonShare share;
  int64_t run_ns = 0, wait_ns = 0;  // sum of all tasks
  bool is_for_each_row = false;     // Spark calls the function per row
  bool is_for_each_block = false;   // a record of an RDD is a whole block of data, such as an array
  int64_t groups = 0;               // groups of rows, for each of which Spark calls the function, at most
  double of_pyspark = 0;            // share of Python's CPU time for passing rows and results
  double grouping = 0;              // the same share in a stage that creates a DataFrame per group
  RepeatedCall repeated = {};
  bool concatenates = false;
  bool is_by_row = false;    // pandas calls a function per row of a batch
  bool uses_arrays = false;  // most likely native code on whole arrays
  int64_t records = 0;       // 0 = too few to divide the time

  const PythonLine* Hottest() const { return work.by_cpu.empty() ? nullptr : &work.by_cpu.front(); }
  bool IsOfOneLine() const {
    return Hottest() != nullptr && Share(Hottest()->own_cpu_ns, work.cpu_ns) >= kMostlyOneLine;
  }
  // Without samples, a function this slow per record may call a service.
  bool IsSlowForEach() const { return !share.is_known && records > 0 && wait_ns / records >= kSlowRecordNs; }
  bool IsOfFewLines() const {
    int64_t own_ns = 0;
    for (size_t line = 0; line < std::min(kFewLines, work.by_cpu.size()); ++line)
      own_ns += work.by_cpu[line].own_cpu_ns;
    return own_ns > 0 && Share(own_ns, work.cpu_ns) >= kMostlyOneLine;
  }
  // True if the lines of a function that gets batches take longer per row than arithmetic in Python: they call native
  // code, most likely for the whole batch. A generator or list comprehension runs a loop in one line.
  bool IsOfNativeLines() const {
    if (records == 0 || is_for_each_row || groups > 0 || stage.sql_execution < 0 || !IsOfFewLines()) return false;
    return !Contains(Hottest()->text, '<') && Hottest()->own_cpu_ns / records >= kNativeLineNs;
  }
  // If the function returned many rows for each group, the number of groups is unknown.
  bool KnowsGroups() const { return groups > 0 && groups * kLeastOfGroupNs <= wait_ns; }
  // True if most of a call's time is its fixed cost, in PySpark and pandas, not the work on the group's rows.
  bool IsOfSmallGroups() const {
    if (grouping >= kMostlyPassing) return true;
    return KnowsGroups() && wait_ns / groups <= kMostOfGroupNs && records / groups <= kRowsOfGroup;
  }
  // For native code, other APIs only save the passing of rows.
  bool IsLongCall() const {
    if (!share.is_known || records == 0 || repeated.count > 0 || is_by_row || IsOfSmallGroups()) return false;
    return (is_for_each_row ? IsOfOneLine() : IsOfFewLines()) && work.cpu_ns / records >= kLongCallNs;
  }
};

void SetWork(PythonStage* of) {
  PythonStage& python = *of;
  const PythonWork& work = python.work;
  const Stage& stage = python.stage;
  const StageSummary& summary = python.summary;
  const Application& application = python.input.application;
  python.is_for_each_row = CallsPythonForEachRow(application, stage);
  python.of_pyspark = Share(PassingTime(work), work.all_cpu_ns);
  const int64_t records =
      std::max(summary.Total(TaskMetric::kInputRecords), summary.Total(TaskMetric::kShuffleReadRecords));
  const int64_t bytes = std::max(summary.Total(TaskMetric::kInputBytes), summary.Total(TaskMetric::kShuffleReadBytes));
  python.is_for_each_block = stage.sql_execution < 0 && records > 0 && bytes / records >= kBlockBytes;
  python.groups = MostGroups(application, stage, records);
  python.grouping = python.groups > 0 ? python.of_pyspark : 0;
  python.repeated = CallOfMostOperators(application, stage);
  python.concatenates = Concatenates(stage, summary, work);
  const bool is_of_batches = !python.is_for_each_row && python.repeated.count == 0;
  python.is_by_row = is_of_batches && Share(work.by_row_ns, work.all_cpu_ns) >= kMostlyByRow;
  if (records >= kRecordsOfTask * static_cast<int64_t>(summary.tasks.size())) python.records = records;
  const bool has_arrays = Share(work.array_ns, work.cpu_ns) >= kSomeArrays || python.IsOfNativeLines();
  python.uses_arrays = is_of_batches && !python.is_by_row && !python.IsOfSmallGroups() &&
                       python.of_pyspark < kMostlyPassing && has_arrays;
}

// Built-in functions replace row-at-a-time UDFs in queries. Code for whole batches and functions of RDDs have their own
// work, unlike PySpark's code that creates a DataFrame per small group (`grouping`, its share of Python's CPU time).
Removal ReplaceableShare(const PythonStage& python) {
  if (python.IsOfSmallGroups()) return kHalf;
  // No built-in function replaces one that sleeps or calls a service.
  if (!python.share.is_known) {
    if (python.is_for_each_row) return kSome;
    // A function that takes long for each group may as well sleep.
    if (python.KnowsGroups()) return kUnsure;
    // A function that gets batches, groups or blocks may be native code already.
    return python.stage.sql_execution >= 0 || python.is_for_each_block ? kNothing : kUnsure;
  }
  if (python.is_for_each_row) return kMost;
  // For an RDD's function with its own work, passing rows costs little.
  return python.stage.sql_execution < 0 && python.of_pyspark < kSomePassing ? kUnsure : kSome;
}

std::string ChangeForPython(const PythonStage& python) {
  constexpr char kOnce[] = "move work that does not depend on the record to the start of a partition";
  if (python.IsOfSmallGroups()) {
    return "Make fewer and larger groups: group by fewer or coarser columns, and let the function handle the finer "
           "ones in one call of pandas (groupby(), merge_asof(by=)); or use built-in functions: aggregates, windows, "
           "joins. PySpark makes a DataFrame of each group, and each call of pandas costs about the same for one row "
           "as for thousands";
  }
  std::string_view first;
  if (python.of_pyspark >= kMostlyPassing) {
    first =
        "Pass fewer rows and columns to Python: filter, aggregate and select before, and let built-in functions do "
        "what they can. ";
  }
  if (python.is_for_each_row) {
    return fmt::format(
        "{}Replace the Python function by built-in SQL functions, or by a pandas UDF on whole batches (Arrow). In "
        "Python, {}",
        first, kOnce);
  }
  if (python.stage.sql_execution < 0 && !python.is_for_each_block)
    return fmt::format(
        "{}Use a DataFrame with built-in functions instead of the RDD's Python functions, or vectorized functions "
        "(NumPy) instead of loops. In Python, {}",
        first, kOnce);
  if (python.share.is_known)
    return fmt::format(
        "{}Use built-in SQL functions where they exist, and vectorized functions on whole batches elsewhere; {}", first,
        kOnce);
  return fmt::format(
      "Profile the job with `sparkprof run` to see the lines of the function, which gets {} as a whole and may be "
      "right as it is. In Python, {}",
      python.groups > 0          ? "each group"
      : python.is_for_each_block ? "large blocks"
                                 : "batches of rows",
      kOnce);
}

void DescribeWait(const PythonStage& python, Finding* finding) {
  const PythonShare& share = python.share;
  const PythonWork& work = python.work;
  const bool is_certain = share.is_known || share.is_measured;
  // With samples, uses the number that `sparkprof info` and `sparkprof show waits` print.
  const PythonWait sampled = PythonWaitOf(python.summary);
  const std::string waited = FormatShare(share.is_known ? sampled.Share() : share.of_run_time);
  finding->title = fmt::format("Stage {}: tasks wait{} for {} of their time", python.stage.id,
                               is_certain ? " for Python" : ", most likely for Python,", waited);
  finding->what = fmt::format("In {}, the JVM waited{} for {} of task time", StageText(python.input, python.stage),
                              is_certain ? " for Python code" : ", most likely for Python code,", waited);
  finding->evidence = share.is_known ? fmt::format("{} of {} of the tasks' wall-clock samples",
                                                   FormatDuration(sampled.wait_ns), FormatDuration(sampled.all_ns))
                                     : fmt::format(
                                           "{} of {} run time is neither CPU time of the JVM nor GC nor shuffle; "
                                           "whether Python computes or sleeps is unknown without a profile",
                                           FormatDuration(python.wait_ns), FormatDuration(python.run_ns));
  const int64_t calls = python.KnowsGroups() ? python.groups : share.is_known ? 0 : python.records;
  if (calls > 0)
    finding->evidence +=
        fmt::format("; {} for each of {}{}", FormatDuration(python.wait_ns / calls),
                    python.KnowsGroups() ? "at most " : "", Counted(calls, python.KnowsGroups() ? "group" : "record"));
  if (python.KnowsGroups() && python.records > 0)
    finding->evidence += fmt::format(" of {}", Counted(python.records / python.groups, "row"));
  if (share.is_measured) finding->evidence += "; by Spark's metrics of the plan, Python workers ran meanwhile";
  const Application& application = python.input.application;
  if (HasPythonCpu(application)) {
    const TimeRange span = TaskSpan(python.input, python.summary);
    finding->evidence += fmt::format("; Python workers used {} of CPU time meanwhile",
                                     FormatDuration(PythonCpuBetween(application, span.start_ns, span.end_ns)));
  }
  for (const PythonLine& line : work.by_cpu) {
    if (finding->frames.size() < 3 && Share(line.cpu_ns, work.cpu_ns) >= 0.1) finding->frames.push_back(line.text);
  }
  if (!finding->frames.empty()) {
    finding->evidence +=
        fmt::format("; {} of Python's CPU time in {}", FormatShare(Share(python.Hottest()->cpu_ns, work.all_cpu_ns)),
                    finding->frames.front());
  }
  if (python.of_pyspark >= kSomePassing) {
    finding->evidence +=
        fmt::format("{} {} in PySpark's own code, which passes rows and results",
                    finding->frames.empty() ? "; of Python's CPU time" : ",", FormatShare(python.of_pyspark));
  }
  finding->change = ChangeForPython(python);
}

// Each of these functions adds a special case to the title, the evidence or the advice.
void AddRepeatedCall(const PythonStage& python, Finding* finding) {
  const RepeatedCall& repeated = python.repeated;
  if (repeated.count == 0) return;
  finding->title += fmt::format("; the plan calls {}() {} times for a row", repeated.function, repeated.count);
  finding->evidence +=
      fmt::format("; {} operators of the plan call {}() with the same columns", repeated.count, repeated.function);
  finding->change = fmt::format(
      "Call {}() once: mark it by asNondeterministic(), which keeps Spark from copying it into filters, or cache its "
      "result. {}",
      repeated.function, finding->change);
}

void AddConcatenation(const PythonStage& python, Finding* finding) {
  if (!python.concatenates) return;
  finding->title =
      fmt::format("Stage {}: the function of reduceByKey() takes {} of Python's CPU time and reduces nothing",
                  python.stage.id, FormatShare(Share(python.Hottest()->cpu_ns, python.work.all_cpu_ns)));
  finding->evidence +=
      fmt::format("; {} of input, {} of shuffle", FormatBytes(python.summary.Total(TaskMetric::kInputBytes)),
                  FormatBytes(python.summary.Total(TaskMetric::kShuffleWriteBytes)));
  finding->change =
      "If the function concatenates lists or strings (a + b), it copies all of them for each further record: append to "
      "one list with aggregateByKey() or combineByKey(), or use groupByKey()";
  finding->level = RuleLevel::kCause;
}

void AddGuard(const PythonStage& python, Finding* finding) {
  const std::string guarded = GuardedCall(python.input.application, python.stage);
  if (guarded.empty()) return;
  finding->title += fmt::format("; {}() runs also for the rows that do not need it", guarded);
  finding->evidence +=
      fmt::format("; a CASE or coalesce() after the call uses the result of {}() for some rows only", guarded);
  finding->change = fmt::format(
      "Call {}() only for the rows that need it: filter these, apply it, and unite them with the others. Spark calls "
      "Python functions for all rows, before CASE, when() and coalesce(). {}",
      guarded, finding->change);
  finding->level = RuleLevel::kCause;
}

void AddCallOfQueries(const PythonStage& python, Finding* finding) {
  const RepeatedCall of_queries = CallOfMostQueries(python.input.application, python.stage);
  if (of_queries.count < static_cast<int64_t>(kManyQueriesRead)) return;
  finding->title += fmt::format("; {} queries call {}() for the same columns", of_queries.count, of_queries.function);
  finding->change = fmt::format(
      "Cache the rows with the result of {}() before the first of the queries that call it, unless they read other "
      "rows. {}",
      of_queries.function, finding->change);
}

void AddSmallGroups(const PythonStage& python, Finding* finding) {
  if (python.IsOfSmallGroups()) finding->title += ", in calls for small groups";
}

void AddRowsOfPandas(const PythonStage& python, Finding* finding) {
  if (!python.is_by_row) return;
  finding->title += ", in which pandas calls a function for each row";
  finding->evidence += fmt::format("; {} of Python's CPU time is below apply(), map() or iterrows() of pandas",
                                   FormatShare(Share(python.work.by_row_ns, python.work.all_cpu_ns)));
  finding->change =
      "Replace apply(axis=1), map() or iterrows() by arithmetic on whole columns (Series, numpy.where), or by built-in "
      "SQL functions: pandas makes objects for each row and calls the function for it";
  finding->level = RuleLevel::kCause;
}

void AddArrays(const PythonStage& python, Finding* finding) {
  if (!python.uses_arrays) return;
  finding->evidence += "; the code calls functions for arrays (NumPy and the like), which run natively";
  finding->change =
      "Nothing, if the functions get whole arrays: a rewrite saves little. If they get one record at a time, pass them "
      "many at once";
}

void AddSlowRecords(const PythonStage& python, Finding* finding) {
  if (python.share.is_known || python.records == 0) return;
  const int64_t each_ns = python.wait_ns / python.records;
  const bool does_much = python.is_for_each_row && each_ns >= kLongCallNs;
  if (!python.IsSlowForEach() && !does_much) return;
  finding->title = fmt::format("Stage {}: Python takes {} for each record, computing or waiting", python.stage.id,
                               FormatDuration(each_ns));
  constexpr std::string_view kOfWorker =
      "once for each worker what does not depend on the row, such as parsing, compiling and loading: in a global "
      "variable, or at the start of a partition";
  constexpr std::string_view kOfService =
      "Profile the job with `sparkprof run` to see which. If it calls a service, call it for distinct values only, for "
      "many records at once, or from several threads, and try again only after errors that may pass. If it computes, "
      "do ";
  finding->change = python.IsSlowForEach()
                        ? fmt::format("{}{}", kOfService, kOfWorker)
                        : fmt::format("Do {}. `sparkprof run` shows the lines. {}", kOfWorker, finding->change);
}

void AddOneLine(const PythonStage& python, Finding* finding) {
  const bool is_special = python.is_for_each_row || python.is_by_row || python.uses_arrays || python.concatenates ||
                          python.IsOfSmallGroups();
  if (is_special || !python.IsOfOneLine()) return;
  const PythonLine& line = *python.Hottest();
  finding->title += fmt::format("; {} of Python's CPU time in {}",
                                FormatShare(Share(line.cpu_ns, python.work.all_cpu_ns)), line.text);
  finding->change = fmt::format(
      "Look at {} first. If it loads or builds something that does not depend on the rows (a model, a table), do that "
      "once for each task: in an iterator pandas UDF, mapInPandas() or mapPartitions(), or in a global variable. {}",
      line.text, finding->change);
}

void AddLongCall(const PythonStage& python, Finding* finding) {
  if (!python.IsLongCall()) return;
  finding->evidence += fmt::format("; {} of CPU time for each of {} records",
                                   FormatDuration(python.work.cpu_ns / python.records), CountText(python.records));
  finding->change = fmt::format(
      "Nothing, if {} has to take that long for a record: built-in functions and Arrow save only the passing of rows. "
      "Otherwise call it for distinct values only, or move what does not depend on the record to the start of a "
      "partition",
      python.Hottest()->text);
}

// A function that takes long for each row and spends it on parsing likely parses the same texts again.
void AddParsing(const PythonStage& python, Finding* finding) {
  if (!python.share.is_known || python.records == 0) return;
  const std::vector<PythonLine> functions = ParsingFunctions(python.input.application, python.summary);
  if (functions.empty()) return;
  const PythonLine& most = functions.front();
  const double share = Share(most.cpu_ns, python.work.all_cpu_ns);
  if (share < kMostOfCode || most.cpu_ns / python.records < kLongCallNs) return;
  finding->title = fmt::format("Stage {}: parsing takes {} of Python's CPU time, {} for each row: {}", python.stage.id,
                               FormatShare(share), FormatDuration(most.cpu_ns / python.records), most.text);
  finding->change = fmt::format(
      "Call {} once for each text and keep the result: in a global variable or at the start of a partition for texts "
      "that do not depend on the row (a broadcast, a table), in a dictionary or functools.lru_cache for others. {}",
      most.text.substr(0, most.text.find(' ')), finding->change);
  finding->level = RuleLevel::kCause;
}

constexpr void (*kSpecialCases[])(const PythonStage&, Finding*) = {
    AddSmallGroups, AddRepeatedCall, AddConcatenation, AddGuard,    AddCallOfQueries, AddRowsOfPandas,
    AddArrays,      AddSlowRecords,  AddOneLine,       AddLongCall, AddParsing};

Removal RemovalOf(const PythonStage& python) {
  if (python.is_by_row || python.concatenates) return kMost;
  Removal removal = ReplaceableShare(python);
  if (python.IsSlowForEach()) removal = kUnseenCalls;
  if (python.IsLongCall()) removal = kOwnWork;
  // The copies see the rows that the first call kept.
  return python.repeated.count > 0 && removal.likely < kHalf.likely ? kHalf : removal;
}

Claim ClaimOf(const PythonStage& python) {
  const FindingInput& input = python.input;
  const StageSummary& summary = python.summary;
  // FindRepeatedInit already counts its savings.
  const double left = 1 - std::min(1.0, Share(python.work.init_ns + python.work.import_ns, python.work.cpu_ns));
  // Passing rows to a function of single rows costs as much as the function.
  const double replaced =
      python.is_for_each_row ? std::max(python.share.of_run_time, ShareOutsideJvm(summary)) : python.share.of_run_time;
  const auto python_ns = static_cast<int64_t>(static_cast<double>(python.run_ns) * replaced * left);
  const Removal removal = RemovalOf(python);
  // With samples or Spark 4's plan metrics, the account separates this time from other waits.
  const bool is_python = summary.wall_samples_ns > 0 || python.share.is_measured;
  Claim claim =
      ClaimTasks(input, summary, python_ns, removal, is_python ? AccountPart::kPython : AccountPart::kOtherWait);
  // Rows for Python also cause garbage collection.
  const int64_t gc_ns = summary.Total(TaskMetric::kGcTime);
  const auto row = static_cast<size_t>(&python.stage - input.application.stages.data());
  if (Share(gc_ns, python.run_ns) >= kMuchOfTime && input.payers.PythonAllocates(row))
    claim.Add(ClaimTasks(input, summary, gc_ns, removal, AccountPart::kGc));
  return claim;
}

}  // namespace

std::optional<Finding> FindPythonBoundStages(const FindingInput& input, const Stage& stage,
                                             const StageSummary& summary) {
  const PythonWork work = WorkOfPython(input.application, summary);
  // Workers without samples that use no CPU sleep.
  const PythonLoad load = LoadOfPython(input.application);
  if (work.wall_ns == 0 && load.span_ns > 0 && load.cores < kAlmostNoCpu) return std::nullopt;
  const PythonShare share = ShareOfPython(input, stage, summary, work);
  PythonStage python{input, stage, summary, work, share};
  python.run_ns = std::max(summary.Total(TaskMetric::kExecutorRunTime), summary.Total(TaskMetric::kDuration));
  python.wait_ns = Scaled(python.run_ns, share.of_run_time);
  if (share.of_run_time < (share.is_known ? kMuchPython : kMuchUnknown) || python.wait_ns < kWorthwhileNs)
    return std::nullopt;
  SetWork(&python);
  Finding finding;
  DescribeWait(python, &finding);
  for (const auto add : kSpecialCases) add(python, &finding);
  finding.condition = fmt::format(
      "The JVM waits for a computing Python worker in at least {} of a stage's wall-clock samples; without samples, at "
      "least {} of the run time of a stage with Python code is not CPU time of the JVM, GC or shuffle",
      FormatShare(kMuchPython), FormatShare(kMuchUnknown));
  finding.selection = SelectStage(stage, Event::kWall);
  if (!python.uses_arrays) finding.claim = ClaimOf(python);
  return finding;
}

}  // namespace sparkprof
