// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/reader_jobs.h"
#include "analysis/findings/rules.h"
#include "analysis/plans/call_site.h"
#include "analysis/plans/datasets.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr size_t kSeveralQueries = 3;
constexpr int64_t kLongQueryNs = kNanosPerSecond;
constexpr double kMostlyNarrow = 0.6;      // share of a query's time in which tasks use at most half of the cores
constexpr Removal kSideBySide{0, 0.5, 1};  // the next query may need a result of the previous one

// A query with its jobs, or a job without a query.
struct SerialQuery {
  int64_t begin_ns = 0, end_ns = 0;
  const SqlExecution* sql = nullptr;
  std::string call_site;
  std::vector<int64_t> stages;                        // IDs
  std::vector<std::pair<int64_t, int64_t>> launches;  // launches (+1) and ends (-1) of its tasks by time
  int64_t task_ns = 0;
  bool is_of_library = false;

  int64_t Duration() const { return end_ns - begin_ns; }
};

std::vector<SerialQuery> QueriesInOrder(const FindingInput& input) {
  const Application& application = input.application;
  std::unordered_map<int64_t, const SqlExecution*> executions;
  for (const SqlExecution& sql : application.sql_executions) executions[sql.id] = &sql;
  std::map<std::pair<bool, int64_t>, SerialQuery> queries;  // by query, or by job without a query
  std::unordered_map<int64_t, SerialQuery*> of_stage;
  for (const Job& job : application.jobs) {
    if (job.submit_ns <= 0 || job.end_ns <= 0 || IsReaderJob(application, job)) continue;
    const auto sql = executions.find(job.sql_execution);
    const bool is_query = sql != executions.end();
    SerialQuery& query = queries[{is_query, is_query ? sql->first : job.id}];
    if (query.stages.empty()) {
      query.begin_ns = job.submit_ns;
      query.sql = is_query ? sql->second : nullptr;
      query.call_site = is_query ? sql->second->description : job.name;
    }
    query.begin_ns = std::min(query.begin_ns, job.submit_ns);
    query.end_ns = std::max(query.end_ns, job.end_ns);
    query.stages.insert(query.stages.end(), job.stages.begin(), job.stages.end());
    for (const int64_t stage : job.stages) of_stage.try_emplace(stage, &query);
  }
  const Tasks& tasks = application.tasks;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const auto query = of_stage.find(application.stages[row].id);
    if (query == of_stage.end()) continue;
    query->second->is_of_library |= !WorkOf(input, application.stages[row]).library.empty();
    for (const uint32_t task : input.stages[row].tasks) {
      if (tasks.launch_ns[task] <= 0 || tasks.finish_ns[task] <= tasks.launch_ns[task]) continue;
      query->second->launches.emplace_back(tasks.launch_ns[task], 1);
      query->second->launches.emplace_back(tasks.finish_ns[task], -1);
      query->second->task_ns += tasks.finish_ns[task] - tasks.launch_ns[task];
    }
  }
  std::vector<SerialQuery> in_order;
  for (auto& [id, query] : queries) in_order.push_back(std::move(query));
  std::sort(in_order.begin(), in_order.end(),
            [](const SerialQuery& a, const SerialQuery& b) { return a.begin_ns < b.begin_ns; });
  return in_order;
}

// True if the query mostly uses at most half of the cores.
bool IsNarrow(SerialQuery* query, int64_t cores) {
  if (query->Duration() < kLongQueryNs || query->is_of_library) return false;
  if (Share(query->task_ns, cores * query->Duration()) > kMostlyNarrow) return false;
  std::sort(query->launches.begin(), query->launches.end());
  int64_t running = 0, narrow_ns = 0, since_ns = 0;
  for (const auto& [time_ns, change] : query->launches) {
    if (running > 0 && 2 * running <= cores) narrow_ns += time_ns - since_ns;
    running += change;
    since_ns = time_ns;
  }
  return Share(narrow_ns, query->Duration()) >= kMostlyNarrow;
}

// IDs of queries that read the output of an earlier one.
std::set<int64_t> QueriesThatWait(const Application& application) {
  std::set<int64_t> waiting;
  for (const DatasetUse& use : DatasetsOf(application)) {
    if (use.written_by.empty()) continue;
    waiting.insert(use.read_by.upper_bound(*use.written_by.begin()), use.read_by.end());
  }
  return waiting;
}

// Queries that could run concurrently: narrow, consecutive, and independent of each other's output.
std::vector<SerialQuery> SideBySide(const FindingInput& input) {
  const std::set<int64_t> waiting = QueriesThatWait(input.application);
  std::vector<SerialQuery> chosen;
  int64_t busy_until_ns = 0;
  for (SerialQuery& query : QueriesInOrder(input)) {
    const bool is_after = query.begin_ns >= busy_until_ns;
    busy_until_ns = std::max(busy_until_ns, query.end_ns);
    const bool waits = query.sql != nullptr && waiting.contains(query.sql->id);
    if (!is_after && !chosen.empty() && chosen.back().end_ns > query.begin_ns) chosen.pop_back();
    if (is_after && !waits && IsNarrow(&query, input.cores)) chosen.push_back(std::move(query));
  }
  return chosen;
}

// True if a person may have started them, with pauses; a script run by a shell has none.
bool HavePauses(const std::vector<SerialQuery>& queries) {
  constexpr int64_t kPauseNs = kNanosPerSecond;
  size_t pauses = 0;
  for (size_t i = 1; i < queries.size(); ++i) pauses += queries[i].begin_ns - queries[i - 1].end_ns > kPauseNs ? 1 : 0;
  return 2 * pauses >= queries.size();
}

}  // namespace

std::optional<Finding> FindSerialQueries(const FindingInput& input) {
  const Application& application = input.application;
  if (input.cores < 2 || !application.streaming_queries.empty()) return std::nullopt;
  const std::vector<SerialQuery> queries = SideBySide(input);
  if (queries.size() < kSeveralQueries || (IsInteractive(application) && HavePauses(queries))) return std::nullopt;
  int64_t time_ns = 0, task_ns = 0, longest_ns = 0;
  std::set<std::string> lines;
  Finding finding;
  for (const SerialQuery& query : queries) {
    time_ns += query.Duration();
    task_ns += query.task_ns;
    longest_ns = std::max(longest_ns, query.Duration());
    if (std::string line = ShortCallSite(query.call_site); IsOfProgram(line)) lines.insert(std::move(line));
    finding.stages.insert(finding.stages.end(), query.stages.begin(), query.stages.end());
  }
  const int64_t saved_ns = time_ns - std::max(longest_ns, task_ns / input.cores);
  if (saved_ns < kWorthwhileNs || Share(saved_ns, input.duration_ns) < kMuchOfTime) return std::nullopt;
  const auto count = static_cast<int64_t>(queries.size());
  finding.title = fmt::format("{} queries run one after another, each on at most half of the cores", count);
  finding.what = fmt::format("{} queries took {} in total, and none of them waits for the output of another", count,
                             FormatDuration(time_ns));
  finding.evidence = fmt::format("their tasks took {} on {}; the longest query took {}", FormatDuration(task_ns),
                                 Counted(input.cores, "core"), FormatDuration(longest_ns));
  finding.condition = fmt::format(
      "At least {} queries of at least {} run one after another, each for {} of its time with tasks on at most half of "
      "the cores, and none reads what another writes; not those of libraries, streams and persons at a shell",
      kSeveralQueries, FormatDuration(kLongQueryNs), FormatShare(kMostlyNarrow));
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
