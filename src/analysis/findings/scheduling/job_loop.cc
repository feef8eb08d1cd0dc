// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/query_runs.h"
#include "analysis/plans/call_site.h"
#include "analysis/plans/plan_text.h"
#include "base/text/text.h"
#include "base/time.h"
#include "model/plan_operators.h"

namespace sparkprof {
namespace {

constexpr size_t kManyRuns = 30;                         // per line
constexpr double kMuchLooping = 0.2;                     // share of the application's duration
constexpr int64_t kShortRunNs = 2 * kNanosPerSecond;     // longer runs do not depend on their startup
constexpr int64_t kLongPauseNs = 3 * kNanosPerSecond;    // between two runs: a person at a prompt, or a trigger
constexpr size_t kPlanTimesLarger = 3, kLargePlan = 30;  // last plan compared with the first; number of operators
constexpr size_t kManyGrowing = 5;                       // runs with a larger plan than the previous one

// The line of the program; empty for Python programs, whose calls come from one line of Java.
std::string LineOf(std::string_view call_site) {
  std::string line = ShortCallSite(call_site);
  const bool is_of_python = line.find("NativeMethodAccessorImpl.java") != std::string::npos ||
                            line.find(" at <unknown>") != std::string::npos;
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
  std::sort(values.begin(), values.end());
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
  return std::adjacent_find(runs.begin(), runs.end(), shrinks) == runs.end();
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
  const std::vector<PlanOperator> operators = OperatorsOf(run.sql->plan);
  return std::any_of(operators.begin(), operators.end(), [](const PlanOperator& one) { return IsWrite(one.kind); });
}

// The source that all runs read again; may be empty.
std::string SourceReadAgain(const std::vector<QueryRun>& runs) {
  std::string source = SourceRead(runs.front());
  const bool is_common =
      std::all_of(runs.begin(), runs.end(), [&](const QueryRun& run) { return SourceRead(run) == source; });
  return is_common ? source : std::string();
}

// Time of the operators that runs have in addition to the first, assuming equal times for all operators.
int64_t TimeOfGrowth(const JobLoop& loop) {
  size_t operators = 0;
  for (const QueryRun& run : loop.runs) operators += OperatorCount(run);
  const size_t first = loop.runs.size() * OperatorCount(loop.runs.front());
  return static_cast<int64_t>(static_cast<double>(loop.time_ns) *
                              (1 - Share(static_cast<int64_t>(first), static_cast<int64_t>(operators))));
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
  loop.fastest_ns = *std::min_element(durations.begin(), durations.end());
  loop.pause_ns = MedianTime(std::move(pauses));
  loop.median_ns = MedianTime(std::move(durations));
  // Several threads start them, as joblib does, so their order does not matter.
  const bool is_one_thread = 2 * side_by_side <= runs.size();
  const bool is_loop =
      runs.size() >= kManyRuns && is_one_thread && loop.median_ns <= kShortRunNs && loop.pause_ns <= kLongPauseNs;
  return is_loop || loop.plan_grows ? loop : JobLoop{};
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
    finding.change =
        std::all_of(worst.runs.begin(), worst.runs.end(), Writes)
            ? "Read the data once and write all of it in one query: repartition() by the loop's variable, and "
              "partitionBy() of it (spark.sql.sources.partitionOverwriteMode=dynamic keeps the other partitions). "
              "Otherwise cache() the data before the loop"
            : "Compute all of it in one query: one agg() with the expressions of all runs, or group by the loop's "
              "variable and collect() once. Otherwise cache() the data before the loop";
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

}  // namespace sparkprof
