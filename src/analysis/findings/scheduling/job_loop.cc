// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/reader_jobs.h"
#include "analysis/findings/rules.h"
#include "analysis/plans/call_site.h"
#include "base/text/text.h"
#include "base/time.h"
#include "model/plan_operators.h"

namespace sparkprof {
namespace {

constexpr size_t kManyRuns = 30;                         // of one line
constexpr double kMuchLooping = 0.2;                     // of the application's duration
constexpr int64_t kShortRunNs = 2 * kNanosPerSecond;     // a longer one is no matter of its start
constexpr int64_t kLongPauseNs = 3 * kNanosPerSecond;    // between two runs: a person at a prompt, or a trigger
constexpr size_t kPlanTimesLarger = 3, kLargePlan = 30;  // the plan of the last run, of the first; operators
constexpr size_t kManyGrowing = 5;                       // runs, each with a larger plan than the one before

// A query or a job without a query.
struct LoopRun {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  const SqlExecution* sql = nullptr;
  std::vector<int64_t> stages;

  int64_t Duration() const { return end_ns - begin_ns; }
};

// The jobs (IDs) of iterations of an algorithm, and of Spark's own threads. Not all of their stages are the library's:
// they read what the program prepared.
std::unordered_set<int64_t> JobsOfLibraries(const FindingInput& input) {
  std::unordered_set<int64_t> jobs;
  for (const Stage& stage : input.application.stages) {
    if (!WorkOf(input, stage).library.empty()) jobs.insert(stage.job);
  }
  return jobs;
}

// A batch of a stream, which text logs do not show as one: DataStreamWriter.start() is its call site.
bool StartsStream(const Job& job) { return job.name.starts_with("start at "); }

// The line of the program. A Python program has none: its calls come from one line of Java, which has no name after the
// first calls.
std::string LineOf(std::string_view call_site) {
  std::string line = ShortCallSite(call_site);
  const bool is_of_python = line.find("NativeMethodAccessorImpl.java") != std::string::npos ||
                            line.find(" at <unknown>") != std::string::npos;
  return is_of_python ? line.substr(0, line.find(" at ")) + "()" : line;
}

std::map<std::string, std::vector<LoopRun>> RunsByLine(const FindingInput& input) {
  const Application& application = input.application;
  std::unordered_map<int64_t, const SqlExecution*> queries;
  for (const SqlExecution& sql : application.sql_executions) queries[sql.id] = &sql;
  std::unordered_map<int64_t, LoopRun> of_query;
  std::map<std::string, std::vector<LoopRun>> runs;
  const std::unordered_set<int64_t> of_libraries = JobsOfLibraries(input);
  for (const Job& job : application.jobs) {
    if (job.submit_ns <= 0 || job.end_ns <= 0) continue;
    const auto query = queries.find(job.sql_execution);
    if (query != queries.end()) {
      LoopRun& run = of_query[job.sql_execution];
      run.sql = query->second;
      // With the planning of the query.
      const int64_t begin_ns = run.sql->start_ns > 0 ? std::min(run.sql->start_ns, job.submit_ns) : job.submit_ns;
      run.begin_ns = run.begin_ns == 0 ? begin_ns : std::min(run.begin_ns, begin_ns);
      run.end_ns = std::max(run.end_ns, job.end_ns);
      run.stages.insert(run.stages.end(), job.stages.begin(), job.stages.end());
    } else if (!of_libraries.contains(job.id) && !IsReaderJob(application, job) && !StartsStream(job)) {
      runs[LineOf(job.name)].push_back({job.submit_ns, job.end_ns, nullptr, job.stages});
    }
  }
  for (auto& [id, run] : of_query) runs[LineOf(run.sql->description)].push_back(std::move(run));
  for (auto& [line, of_line] : runs)
    std::sort(of_line.begin(), of_line.end(),
              [](const LoopRun& a, const LoopRun& b) { return a.begin_ns < b.begin_ns; });
  return runs;
}

int64_t MedianTime(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct JobLoop {
  std::string line;
  std::vector<LoopRun> runs;
  bool plan_grows = false;
  int64_t time_ns = 0;     // of its runs
  int64_t fastest_ns = 0;  // run
  int64_t median_ns = 0;   // likewise
  int64_t pause_ns = 0;    // median between two runs
};

size_t OperatorCount(const LoopRun& run) { return run.sql == nullptr ? 0 : OperatorsOf(run.sql->plan).size(); }

// Whether each run computes again what the runs before it did.
bool PlanGrows(const std::vector<LoopRun>& runs) {
  const size_t first = OperatorCount(runs.front()), last = OperatorCount(runs.back());
  if (runs.size() < kManyGrowing || last < kLargePlan || last < kPlanTimesLarger * std::max<size_t>(1, first))
    return false;
  const auto shrinks = [](const LoopRun& a, const LoopRun& b) { return OperatorCount(a) > OperatorCount(b); };
  return std::adjacent_find(runs.begin(), runs.end(), shrinks) == runs.end();
}

JobLoop LoopOf(const std::string& line, const std::vector<LoopRun>& runs) {
  JobLoop loop{line, runs, PlanGrows(runs)};
  std::vector<int64_t> durations, pauses;
  for (size_t i = 0; i < runs.size(); ++i) {
    durations.push_back(runs[i].Duration());
    loop.time_ns += runs[i].Duration();
    if (i > 0) pauses.push_back(std::max<int64_t>(0, runs[i].begin_ns - runs[i - 1].end_ns));
  }
  loop.fastest_ns = *std::min_element(durations.begin(), durations.end());
  loop.pause_ns = MedianTime(std::move(pauses));
  loop.median_ns = MedianTime(std::move(durations));
  const bool is_loop = runs.size() >= kManyRuns && loop.median_ns <= kShortRunNs && loop.pause_ns <= kLongPauseNs;
  return is_loop || loop.plan_grows ? loop : JobLoop{};
}

}  // namespace

std::optional<Finding> FindJobLoops(const FindingInput& input) {
  const Application& application = input.application;
  if (!application.streaming_queries.empty()) return std::nullopt;
  JobLoop worst;
  for (const auto& [line, runs] : RunsByLine(input)) {
    if (runs.size() < kManyGrowing || line.empty()) continue;
    JobLoop loop = LoopOf(line, runs);
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
  finding.evidence = fmt::format("the fastest {} takes {}; between two of them {}", noun,
                                 FormatDuration(worst.fastest_ns), FormatDuration(worst.pause_ns));
  finding.condition = fmt::format(
      "One line starts at least {} short jobs or queries, or at least {} queries, each with a larger plan than the one "
      "before, and they take at least {} of the duration; not in streams or libraries",
      kManyRuns, kManyGrowing, FormatShare(kMuchLooping));
  finding.selection.event = EventName(Event::kCpu);
  for (const LoopRun& run : worst.runs)
    finding.stages.insert(finding.stages.end(), run.stages.begin(), run.stages.end());
  if (is_line_known) finding.frames = {worst.line};
  finding.change = plan_grows
                       ? "Cut the plan in the loop: persist() or localCheckpoint() the result of each iteration, or "
                         "checkpoint() it every few, so that the next one does not compute all before it again; or one "
                         "expression instead of many withColumn() and union() calls"
                       : "Compute all of it in one job: group by the loop's variable and collect() once, or join with "
                         "the values of the loop. If the jobs are independent, start them from several threads";
  // Each run has the costs of the fastest one, and one of them remains. The rest may be work that one job does as well.
  // A plan that grows holds the runs before: each run without them would take as long as the fastest.
  const bool is_measured = plan_grows && worst.runs.size() < kManyRuns;
  const int64_t again_ns = is_measured  ? worst.time_ns - count * worst.fastest_ns
                           : plan_grows ? worst.time_ns
                                        : (count - 1) * worst.median_ns;
  const double fixed = Share(worst.fastest_ns, worst.median_ns);
  const Removal removal{kMost.low * fixed, kMost.likely * (1 + fixed) / 2, kMost.high};
  finding.claim = ClaimStages(input, finding.stages, again_ns, is_measured ? kMost : plan_grows ? kHalf : removal);
  if (!plan_grows) finding.claim.wall_ns += worst.pause_ns * (count - 1);
  return finding;
}

}  // namespace sparkprof
