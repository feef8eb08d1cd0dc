// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/query_runs.h"
#include "analysis/plans/call_site.h"
#include "analysis/plans/datasets.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

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
  std::sort(changes.begin(), changes.end());
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
  const auto most = std::max_element(time_ns.begin(), time_ns.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
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
  const bool are_queries =
      std::any_of(queries.begin(), queries.end(), [](const auto& one) { return one.sql != nullptr; });
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
