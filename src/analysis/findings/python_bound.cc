// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/plan_operator.h"
#include "analysis/findings/python_metrics.h"
#include "analysis/findings/python_work.h"
#include "analysis/findings/repeated_read.h"
#include "analysis/findings/rules.h"
#include "analysis/machines/series_math.h"
#include "analysis/plans/call_site.h"
#include "analysis/time/cpu_time.h"
#include "analysis/time/python_wait.h"
#include "base/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr double kMuchPython = 0.4;     // of the tasks' wall-clock samples
constexpr double kAlmostNoCpu = 0.1;    // of a core
constexpr double kSomePassing = 0.1;    // of the CPU time of the workers
constexpr double kMostlyPassing = 0.5;  // likewise
constexpr double kManyFailing = 0.3;    // of the tasks
constexpr double kSomeArrays = 0.03;    // of the CPU time of the user's code
constexpr int64_t kSlowRecordNs = 5 * kNanosPerMilli;
constexpr int64_t kLongCallNs = 100 * kNanosPerMicro;  // of CPU time for a record; passing one takes a few us
constexpr double kMostlyByRow = 0.4;                   // of the CPU time of the workers
constexpr double kMostlyOneLine = 0.7;                 // of the CPU time of the user's code
constexpr int64_t kRecordsOfTask = 10;                 // of fewer, the start of Python is a large part
constexpr double kMuchUnknown = 0.5;                   // of the run time outside the JVM's CPU, without samples

struct PythonShare {
  double of_run_time = 0;    // with what the JVM waits for while rows go to Python and back, of computing code
  bool is_known = false;     // whether Python computes or sleeps
  bool is_measured = false;  // Spark's metrics have the time of the workers
};

PythonShare ShareOfPython(const FindingInput& input, const Stage& stage, const StageSummary& summary,
                          const PythonWork& work) {
  const double wait = ShareOfPythonWait(summary);
  // Reading zip files again is the case of FindZipReads.
  const double zip = std::min(Share(work.zip_ns, work.all_cpu_ns), Share(work.zip_wall_ns, work.all_wall_ns));
  if (summary.wall_samples_ns > 0) return {wait * (1 - Share(work.sleep_ns, work.wall_ns)) * (1 - zip), true};
  // Tasks of a stage that failed, or in which many did, spend their time on failing.
  const double failed = Share(summary.failed_tasks, static_cast<int64_t>(summary.tasks.size()));
  if (stage.status == RunStatus::kFailed || failed >= kManyFailing || !HasCpuTime(input.application)) return {};
  if (!UsesPython(input.application, stage, summary)) return {};
  const PythonMetrics metrics = PythonMetricsOf(input.application, stage);
  if (metrics.run_ns == 0) return {wait, false};
  return {std::min(wait, Share(metrics.run_ns, summary.Total(TaskMetric::kExecutorRunTime))), false, true};
}

// Built-in functions replace the UDFs of a query that get one row at a time. Code that gets whole batches, and the
// functions of RDDs, have work of their own to do; but not PySpark's code that makes a DataFrame of each small group,
// whose part of Python's CPU time is `grouping`.
Removal ReplaceableShare(const Application& application, const Stage& stage, bool is_known, double grouping,
                         double of_pyspark) {
  const bool for_each_row = CallsPythonForEachRow(application, stage);
  // A function that sleeps or calls a service has no built-in one. One that gets batches or records of an RDD may be
  // native code already: that a rewrite saves anything is unknown.
  if (!is_known) return for_each_row ? kSome : kUnsure;
  if (for_each_row) return kMost;
  if (grouping >= kMostlyPassing) return kHalf;
  // An RDD's function that has a work of its own, beside which passing rows costs next to nothing.
  return stage.sql_execution < 0 && of_pyspark < kSomePassing ? kUnsure : kSome;
}

// The calls in the first brackets of "BatchEvalPython [risk(id#0L)#2L, f(a#1, g(b#3)#4)#5], [pythonUDF0#7L]": without
// the number of their result, except for lambdas, which all have the same name.
std::vector<std::string_view> CallsOf(std::string_view text) {
  std::vector<std::string_view> calls;
  size_t begin = text.find('[');
  if (begin == std::string_view::npos) return calls;
  int depth = 0;
  for (size_t at = ++begin; at < text.size() && depth >= 0; ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if (text[at] == ')' || text[at] == ']') --depth;
    const bool is_end = depth < 0 || (depth == 0 && text[at] == ',');
    if (!is_end) continue;
    const std::string_view call = text.substr(begin, at - begin);
    const size_t number = call.rfind(")#");
    const bool is_named = !call.starts_with("<lambda>");
    if (number != std::string_view::npos) calls.push_back(is_named ? call.substr(0, number + 1) : call);
    begin = std::min(text.size(), at + 2);
  }
  return calls;
}

// A function of the program that several operators of a stage call with the same columns: the optimizer copies it, as
// to a filter below the column that it makes.
struct RepeatedCall {
  std::string function;   // "risk"
  int64_t operators = 0;  // or queries
};

RepeatedCall MostRepeatedCall(const Application& application, const Stage& stage) {
  std::map<std::string, int64_t> by_call;
  for (const PlanOperator& one : OperatorsOfStage(application, stage)) {
    if (!one.kind.ends_with("EvalPython")) continue;
    // Equal calls in one operator are of functions with the same name.
    std::set<std::string> calls;
    for (const std::string_view call : CallsOf(one.plan->text)) calls.emplace(call);
    for (const std::string& call : calls) ++by_call[call];
  }
  RepeatedCall most;
  for (const auto& [call, operators] : by_call) {
    if (operators > std::max<int64_t>(1, most.operators)) most = {call.substr(0, call.find('(')), operators};
  }
  return most;
}

// Returns the function of a CASE or coalesce() that needs its result for some rows only: Spark calls Python for all
// rows before it evaluates the condition. Empty = none.
std::string GuardedCall(const Application& application, const Stage& stage) {
  static const re2::RE2 in_guard(R"((?:CASE WHEN|if \(|coalesce\()[^,]*?\bpythonUDF(\d+)#)"), call(R"((\w+)\()");
  const std::vector<PlanOperator> operators = OperatorsOfStage(application, stage);
  for (const PlanOperator& one : operators) {
    size_t index = 0;
    if (!re2::RE2::PartialMatch(one.plan->text, in_guard, &index)) continue;
    for (const PlanOperator& python : operators) {
      if (!python.kind.ends_with("EvalPython")) continue;
      const std::vector<std::string_view> calls = CallsOf(python.plan->text);
      std::string function;
      if (index < calls.size() &&
          re2::RE2::PartialMatch(re2::StringPiece(calls[index].data(), calls[index].size()), call, &function))
        return function;
    }
  }
  return {};
}

// Whether the function that reduceByKey() gets at a line of the program, "reduceByKey at job.py:31", is most of the
// work there and reduces nothing: it concatenates, which copies all that it has for each further record.
bool Concatenates(const Stage& stage, const StageSummary& summary, const PythonWork& work) {
  constexpr double kMuchWork = 0.3;   // of Python's CPU time
  constexpr int64_t kTimesLess = 10;  // the shuffle is compressed
  const std::string call = ShortCallSite(stage.name);
  const size_t place = call.find(" at ");
  if (work.by_cpu.empty() || !call.starts_with("reduceByKey at ")) return false;
  const PythonLine& line = work.by_cpu.front();
  const bool is_there = line.text.ends_with(fmt::format("({})", call.substr(place + 4)));
  return is_there && Share(line.own_cpu_ns, work.all_cpu_ns) >= kMuchWork &&
         kTimesLess * summary.Total(TaskMetric::kShuffleWriteBytes) >= summary.Total(TaskMetric::kInputBytes);
}

// The function of the stage that most queries call with the same columns, and how many do.
RepeatedCall CallOfMostQueries(const Application& application, const Stage& stage) {
  constexpr size_t kMaxQueries = 200;  // the plans of all of them are compared for each stage
  RepeatedCall most;
  if (application.sql_executions.size() > kMaxQueries || !application.streaming_queries.empty()) return most;
  const auto calls_in = [](const std::vector<PlanOperator>& operators) {
    std::set<std::string> calls;
    for (const PlanOperator& one : operators) {
      if (one.kind.ends_with("EvalPython")) AddCostlyCalls(one, &calls);
    }
    return calls;
  };
  const std::set<std::string> of_stage = calls_in(OperatorsOfStage(application, stage));
  if (of_stage.empty()) return most;
  std::map<std::string, int64_t> by_call;
  for (const SqlExecution& sql : application.sql_executions) {
    for (const std::string& call : calls_in(OperatorsOf(sql.plan))) {
      if (of_stage.contains(call) && ++by_call[call] > std::max<int64_t>(1, most.operators))
        most = {call.substr(0, call.find('(')), by_call[call]};
    }
  }
  return most;
}

// Whether the stage calls Python once for each group of rows, as applyInPandas() does.
bool PassesGroups(const Application& application, const Stage& stage) {
  const std::vector<PlanOperator> operators = OperatorsOfStage(application, stage);
  return std::any_of(operators.begin(), operators.end(),
                     [](const PlanOperator& one) { return one.kind.starts_with("FlatMapGroups"); });
}

// By how the stage calls Python.
std::string ChangeForPython(const Application& application, const Stage& stage) {
  constexpr char kOnce[] = "move work that does not depend on the record to the start of a partition";
  if (CallsPythonForEachRow(application, stage)) {
    return fmt::format(
        "Replace the Python function by built-in SQL functions, or by a pandas UDF on whole batches (Arrow). In "
        "Python, {}",
        kOnce);
  }
  if (stage.sql_execution < 0)
    return fmt::format(
        "Use a DataFrame with built-in functions instead of the RDD's Python functions, or vectorized functions "
        "(NumPy) instead of loops. In Python, {}",
        kOnce);
  return fmt::format(
      "Use built-in SQL functions where they exist, and vectorized functions on whole batches elsewhere; {}", kOnce);
}

}  // namespace

std::optional<Finding> FindPythonBoundStages(const FindingInput& input, const Stage& stage,
                                             const StageSummary& summary) {
  const PythonWork work = WorkOfPython(input.application, summary);
  // Workers without samples in this stage that use no CPU sleep.
  const PythonLoad load = LoadOfPython(input.application);
  if (work.wall_ns == 0 && load.span_ns > 0 && load.cores < kAlmostNoCpu) return std::nullopt;
  const PythonShare share = ShareOfPython(input, stage, summary, work);
  const int64_t run_ns = std::max(summary.Total(TaskMetric::kExecutorRunTime), summary.Total(TaskMetric::kDuration));
  const auto wait_ns = static_cast<int64_t>(static_cast<double>(run_ns) * share.of_run_time);
  if (share.of_run_time < (share.is_known ? kMuchPython : kMuchUnknown) || wait_ns < kWorthwhileNs) return std::nullopt;
  int64_t begin_ns = 0, end_ns = 0;
  TaskSpan(input, summary, &begin_ns, &end_ns);
  Finding finding;
  const bool is_certain = share.is_known || share.is_measured;
  // With samples, the number that `sparkprof info` and `sparkprof show waits` print, too.
  const PythonWait sampled = PythonWaitOf(summary);
  const std::string waited = FormatShare(share.is_known ? sampled.Share() : share.of_run_time);
  finding.title = fmt::format("Stage {}: tasks wait{} for {} of their time", stage.id,
                              is_certain ? " for Python" : ", most likely for Python,", waited);
  finding.what = fmt::format("In {}, the JVM waited{} for {} of task time", StageText(stage),
                             is_certain ? " for Python code" : ", most likely for Python code,", waited);
  finding.evidence = share.is_known ? fmt::format("{} of {} of the tasks' wall-clock samples",
                                                  FormatDuration(sampled.wait_ns), FormatDuration(sampled.all_ns))
                                    : fmt::format(
                                          "{} of {} run time is neither CPU time of the JVM nor GC nor shuffle; "
                                          "whether Python computes or sleeps is unknown without a profile",
                                          FormatDuration(wait_ns), FormatDuration(run_ns));
  if (share.is_measured) finding.evidence += "; by Spark's metrics of the plan, Python workers ran meanwhile";
  if (HasPythonCpu(input.application)) {
    finding.evidence += fmt::format("; Python workers used {} of CPU time meanwhile",
                                    FormatDuration(PythonCpuBetween(input.application, begin_ns, end_ns)));
  }
  // PySpark's own part of Python's CPU time passes rows and results.
  const double in_line = work.by_cpu.empty() ? 0 : Share(work.by_cpu.front().cpu_ns, work.all_cpu_ns);
  const double of_pyspark = Share(PassingTime(work), work.all_cpu_ns);
  for (const PythonLine& line : work.by_cpu) {
    if (finding.frames.size() < 3 && Share(line.cpu_ns, work.cpu_ns) >= 0.1) finding.frames.push_back(line.text);
  }
  if (!finding.frames.empty()) {
    finding.evidence += fmt::format("; {} of Python's CPU time in {}", FormatShare(in_line), finding.frames.front());
  }
  if (of_pyspark >= kSomePassing) {
    finding.evidence += fmt::format("{} {} in PySpark's own code, which passes rows and results",
                                    finding.frames.empty() ? "; of Python's CPU time" : ",", FormatShare(of_pyspark));
  }
  const int64_t init_ns = work.init_ns + work.import_ns;
  finding.change = ChangeForPython(input.application, stage);
  const double grouping = PassesGroups(input.application, stage) ? of_pyspark : 0;
  if (of_pyspark >= kMostlyPassing) {
    finding.change = (grouping >= kMostlyPassing
                          ? "Make fewer and larger groups: PySpark converts each group to a DataFrame of its own. "
                          : "Pass fewer rows and columns to Python: filter, aggregate and select before, and let "
                            "built-in functions do what they can. ") +
                     finding.change;
  }
  const RepeatedCall repeated = MostRepeatedCall(input.application, stage);
  if (repeated.operators > 0) {
    finding.title += fmt::format("; the plan calls {}() {} times for a row", repeated.function, repeated.operators);
    finding.evidence += fmt::format("; {} operators of the plan call {}() with the same columns", repeated.operators,
                                    repeated.function);
    finding.change = fmt::format(
        "Call {}() once: mark it by asNondeterministic(), which keeps Spark from copying it into filters, or cache its "
        "result. {}",
        repeated.function, finding.change);
  }
  const bool concatenates = Concatenates(stage, summary, work);
  if (concatenates) {
    finding.title =
        fmt::format("Stage {}: the function of reduceByKey() takes {} of Python's CPU time and reduces nothing",
                    stage.id, FormatShare(Share(work.by_cpu.front().cpu_ns, work.all_cpu_ns)));
    finding.evidence += fmt::format("; {} of input, {} of shuffle", FormatBytes(summary.Total(TaskMetric::kInputBytes)),
                                    FormatBytes(summary.Total(TaskMetric::kShuffleWriteBytes)));
    finding.change =
        "If the function concatenates lists or strings (a + b), it copies all of them for each further record: append "
        "to "
        "one list with aggregateByKey() or combineByKey(), or use groupByKey()";
    finding.level = RuleLevel::kCause;
  }
  const std::string guarded = GuardedCall(input.application, stage);
  if (!guarded.empty()) {
    finding.title += fmt::format("; {}() runs also for the rows that do not need it", guarded);
    finding.evidence +=
        fmt::format("; a CASE or coalesce() after the call uses the result of {}() for some rows only", guarded);
    finding.change = fmt::format(
        "Call {}() only for the rows that need it: filter these, apply it, and unite them with the others. Spark calls "
        "Python functions for all rows, before CASE, when() and coalesce(). {}",
        guarded, finding.change);
    finding.level = RuleLevel::kCause;
  }
  const RepeatedCall of_queries = CallOfMostQueries(input.application, stage);
  if (of_queries.operators >= static_cast<int64_t>(kManyQueriesRead)) {
    finding.title +=
        fmt::format("; {} queries call {}() for the same columns", of_queries.operators, of_queries.function);
    finding.change = fmt::format(
        "Cache the rows with the result of {}() before the first of the queries that call it, unless they read other "
        "rows. {}",
        of_queries.function, finding.change);
  }
  const bool is_by_row = !CallsPythonForEachRow(input.application, stage) && repeated.operators == 0 &&
                         Share(work.by_row_ns, work.all_cpu_ns) >= kMostlyByRow;
  if (is_by_row) {
    finding.title += ", in which pandas calls a function for each row";
    finding.evidence += fmt::format("; {} of Python's CPU time is below apply(), map() or iterrows() of pandas",
                                    FormatShare(Share(work.by_row_ns, work.all_cpu_ns)));
    finding.change =
        "Replace apply(axis=1), map() or iterrows() by arithmetic on whole columns (Series, numpy.where), or by "
        "built-in SQL functions: pandas makes objects for each row and calls the function for it";
    finding.level = RuleLevel::kCause;
  }
  const bool uses_arrays = !is_by_row && !CallsPythonForEachRow(input.application, stage) &&
                           of_pyspark < kMostlyPassing && repeated.operators == 0 &&
                           Share(work.array_ns, work.cpu_ns) >= kSomeArrays;
  if (uses_arrays) {
    finding.evidence += "; the code calls functions for arrays (NumPy and the like), which run natively";
    finding.change =
        "Nothing, if the functions get whole arrays: a rewrite saves little. If they get one record at a time, pass "
        "them many at once";
  }
  // Without samples, a function that takes that long for a record may well call a service.
  const int64_t records =
      std::max(summary.Total(TaskMetric::kInputRecords), summary.Total(TaskMetric::kShuffleReadRecords));
  const bool are_many = records >= kRecordsOfTask * static_cast<int64_t>(summary.tasks.size());
  const int64_t each_ns = share.is_known || !are_many || records == 0 ? 0 : wait_ns / records;
  if (each_ns >= kSlowRecordNs) {
    finding.title = fmt::format("Stage {}: Python takes {} for each record, computing or waiting", stage.id,
                                FormatDuration(each_ns));
    finding.change = fmt::format(
        "Profile the job with `sparkprof run` to see which. If it calls a service, call it for distinct values only, "
        "for many records at once, or from several threads. {}",
        finding.change);
  }
  const bool is_of_one_line = !CallsPythonForEachRow(input.application, stage) && !is_by_row && !uses_arrays &&
                              !concatenates && !work.by_cpu.empty() &&
                              Share(work.by_cpu.front().own_cpu_ns, work.cpu_ns) >= kMostlyOneLine;
  if (is_of_one_line) {
    finding.title += fmt::format("; {} of Python's CPU time in {}", FormatShare(in_line), work.by_cpu.front().text);
    finding.change = fmt::format(
        "Look at {} first. If it loads or builds something that does not depend on the rows (a model, a table), do "
        "that "
        "once for each task: in an iterator pandas UDF, mapInPandas() or mapPartitions(), or in a global variable. {}",
        work.by_cpu.front().text, finding.change);
  }
  // Other APIs run native code that a line calls no faster, and save only the passing of rows.
  const bool is_long_call = share.is_known && are_many && !work.by_cpu.empty() && repeated.operators == 0 &&
                            !is_by_row && work.cpu_ns / std::max<int64_t>(1, records) >= kLongCallNs &&
                            Share(work.by_cpu.front().own_cpu_ns, work.cpu_ns) >= kMostlyOneLine;
  if (is_long_call) {
    finding.evidence += fmt::format("; {} of CPU time for each of {} records", FormatDuration(work.cpu_ns / records),
                                    CountText(records));
    finding.change = fmt::format(
        "Nothing, if {} has to take that long for a record: built-in functions and Arrow save only the passing of "
        "rows. Otherwise call it for distinct values only, or move what does not depend on the record to the start of "
        "a partition",
        work.by_cpu.front().text);
  }
  finding.condition = fmt::format(
      "The JVM waits for a computing Python worker in at least {} of a stage's wall-clock samples; without samples, at "
      "least {} of the run time of a stage with Python code is not CPU time of the JVM, GC or shuffle",
      FormatShare(kMuchPython), FormatShare(kMuchUnknown));
  finding.selection = SelectStage(stage, Event::kWall);
  // Savings of FindRepeatedInit are not counted again.
  const double left = 1 - std::min(1.0, Share(init_ns, work.cpu_ns));
  // Passing rows to a function of one row costs as much as the function.
  const double replaced = CallsPythonForEachRow(input.application, stage)
                              ? std::max(share.of_run_time, ShareOutsideJvm(summary))
                              : share.of_run_time;
  const auto python_ns = static_cast<int64_t>(static_cast<double>(run_ns) * replaced * left);
  if (uses_arrays) return finding;
  finding.claim = ClaimTasks(input, summary, python_ns,
                             ReplaceableShare(input.application, stage, share.is_known, grouping, of_pyspark),
                             summary.wall_samples_ns > 0 ? AccountPart::kPython : AccountPart::kOtherWait);
  // Rows for Python also cost the collection of what they allocate.
  const int64_t gc_ns = summary.Total(TaskMetric::kGcTime);
  const auto row = static_cast<size_t>(&stage - input.application.stages.data());
  if (Share(gc_ns, run_ns) >= kMuchOfTime && input.payers.PythonAllocates(row))
    finding.claim.Add(ClaimTasks(input, summary, gc_ns, finding.claim.removal, AccountPart::kGc));
  if (each_ns >= kSlowRecordNs) finding.claim.removal = kSome;
  if (is_long_call) finding.claim.removal = kUnsure;
  if (is_by_row || concatenates) finding.claim.removal = kMost;
  // The copies see the rows that the first call kept.
  if (repeated.operators > 0 && finding.claim.removal.likely < kHalf.likely) finding.claim.removal = kHalf;
  return finding;
}

}  // namespace sparkprof
