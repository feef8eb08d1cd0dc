// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/memory/cache_reads.h"
#include "analysis/findings/rules.h"
#include "libraries/libraries.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxNamedCaches = 3;
constexpr size_t kManySteps = 3;
constexpr int64_t kCostOfStoring = 5;  // estimate: 1/5 of the time of the stage that computes the rows

const Stage* SucceededStage(const Application& application, int64_t id) {
  const auto stage = std::ranges::find_if(
      application.stages, [&](const Stage& one) { return one.id == id && one.status == RunStatus::kSucceeded; });
  return stage == application.stages.end() ? nullptr : &*stage;
}

int64_t ReadsOfCache(const SqlExecution& sql) {
  const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
  return std::ranges::count_if(operators, [](const PlanOperator& one) { return one.kind == "InMemoryTableScan"; });
}

// True if the RDD was computed completely and nothing read it afterward: no other stage, or only the query that
// computes it in a separate stage, as in Spark 3.5 and later.
bool IsUnused(const FindingInput& input, const CachedRdd& rdd) {
  const std::set<int64_t> stages(rdd.stages.begin(), rdd.stages.end());
  if (stages.empty()) return false;
  const Stage* const first = SucceededStage(input.application, *stages.begin());
  // Users cannot remove a library's cache.
  if (first == nullptr || IsCacheOfLibrary(rdd.name) || !WorkOf(input, *first).library.empty()) return false;
  if (stages.size() == 1) return true;
  if (first->sql_execution < 0) return false;
  for (const int64_t id : stages) {
    const Stage* const stage = SucceededStage(input.application, id);
    if (stage == nullptr || stage->sql_execution != first->sql_execution) return false;
  }
  const std::vector<SqlExecution>& queries = input.application.sql_executions;
  return std::ranges::any_of(
      queries, [&](const SqlExecution& sql) { return sql.id == first->sql_execution && ReadsOfCache(sql) == 1; });
}

// Claims the cost of filling a cache: the GC of the heap that it fills, and a part of the stage's remaining time.
void AddCost(const FindingInput& input, const CachedRdd& rdd, Claim* claim) {
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const StageSummary& summary = input.stages[row];
    if (rdd.stages.empty() || input.application.stages[row].id != rdd.stages.front() || summary.tasks.empty()) continue;
    const int64_t gc_ns = summary.Total(TaskMetric::kGcTime);
    const int64_t rest_ns = std::max<int64_t>(0, summary.Total(TaskMetric::kDuration) - gc_ns);
    const auto stage = static_cast<int32_t>(row);
    if (gc_ns > 0) claim->stages.push_back({stage, AccountPart::kGc, gc_ns});
    claim->stages.push_back({stage, AccountPart::kCpu, rest_ns / kCostOfStoring});
  }
}

// True if one query fills it and exactly one other query reads it.
bool IsReadOnce(const FindingInput& input, const CachedRdd& rdd) {
  if (rdd.stages.size() < 2 || IsCacheOfLibrary(rdd.name)) return false;
  const Stage* const first = SucceededStage(input.application, rdd.stages.front());
  return first != nullptr && WorkOf(input, *first).library.empty() &&
         QueriesOf(input.application, ReadersOf(input.application, rdd), first->id) == 1;
}

// Finds programs that cache the result of each step and fill each cache by a separate action.
std::optional<Finding> FindCachedSteps(const FindingInput& input) {
  std::vector<const CachedRdd*> steps;
  for (const CachedRdd& rdd : input.application.cached_rdds) {
    if (IsReadOnce(input, rdd)) steps.push_back(&rdd);
  }
  if (steps.size() < kManySteps) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("{} cached data sets are read only once each", steps.size());
  finding.what = "A query of its own fills each of the caches, and one other query reads it";
  for (const CachedRdd* step : steps) finding.stages.push_back(step->stages.front());
  const int64_t time_ns = TimeOfStages(input, finding.stages);
  finding.evidence = fmt::format("the stages that fill them take {}", FormatDuration(time_ns));
  finding.condition = fmt::format(
      "The application ended, and at least {} cached data sets were filled by one query and read by one other",
      kManySteps);
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      "Remove the cache() or persist() calls, and the actions that only fill the caches, such as count(): each stores "
      "all rows and columns to read them once. Keep a cache that several queries read";
  finding.claim = ClaimStages(input, finding.stages, time_ns, kHalf);
  return finding;
}

std::string NameOf(const CachedRdd& rdd) {
  return rdd.name.empty() ? fmt::format("RDD {}", rdd.id) : ShortRddName(rdd.name);
}

constexpr int64_t kManyColumns = 20;  // per cache
constexpr int64_t kTimesFewer = 3;    // columns that queries read, compared with the cache
constexpr size_t kFewQueries = 3;     // queries that use it, including the one that fills it

struct CachedFiles {
  std::string text;
  int64_t columns = 0;  // cached columns
  int64_t most_read = 0;
  std::set<int64_t> queries;
  std::vector<int64_t> filling;  // stages of the first query
  int64_t first_query = -1;
};

// Number of columns in the first brackets of "FileScan parquet [id#0L,day#1,... 22 more fields] Batched: true".
int64_t ColumnsIn(std::string_view text) {
  static const re2::RE2 cut(R"(\.\.\. (\d+) more fields)");
  const size_t open = text.find('[');
  if (open == std::string_view::npos) return 0;
  const std::string_view list = text.substr(open, text.find(']') - open);
  int64_t more = 0;
  re2::RE2::PartialMatch(list, cut, &more);
  return std::ranges::count(list, '#') + more;
}

std::map<std::string, CachedFiles> CachesOf(const Application& application) {
  std::map<std::string, CachedFiles> caches;
  for (const SqlExecution& sql : application.sql_executions) {
    const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
    for (const PlanOperator& scan : operators) {
      const std::string source = SourceOf(operators, scan);
      if (source.empty() || !IsBelowCache(operators, scan)) continue;
      const PlanOperator* cache = &scan;
      while (cache->kind != "InMemoryTableScan") cache = &operators[static_cast<size_t>(cache->parent)];
      CachedFiles& files = caches[source];
      files.text = SourceText(scan);
      files.columns = std::max(files.columns, ColumnsIn(scan.plan->text));
      files.most_read = std::max(files.most_read, ColumnsIn(cache->plan->text));
      files.queries.insert(sql.id);
      if (files.first_query < 0) files.first_query = sql.id;
      if (files.first_query != sql.id) continue;
      // Spark 3.5 and later fill a cache in a separate stage.
      const std::vector<int64_t>& stages = scan.stages.empty() ? cache->stages : scan.stages;
      files.filling.insert(files.filling.end(), stages.begin(), stages.end());
    }
  }
  return caches;
}

constexpr size_t kManyRounds = 3;
constexpr int64_t kMuchShuffle = int64_t{8} << 20;  // shuffle per round

// Stages (rows) of RDD programs by line that read a cache and write about equal shuffles.
std::map<std::string, std::vector<size_t>> RoundsOf(const FindingInput& input) {
  const Application& application = input.application;
  std::map<std::string, std::vector<size_t>> by_line;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    const Stage& stage = application.stages[row];
    const bool is_of_rdd = stage.sql_execution < 0 && WorkOf(input, stage).library.empty();
    const int64_t bytes = input.stages[row].Total(TaskMetric::kShuffleWriteBytes);
    if (is_of_rdd && bytes >= kMuchShuffle && ReadsCache(application, stage.id)) by_line[stage.name].push_back(row);
  }
  std::erase_if(by_line, [&](const auto& one) {
    const auto bytes = [&](size_t row) { return input.stages[row].Total(TaskMetric::kShuffleWriteBytes); };
    const int64_t first = bytes(one.second.front());
    return one.second.size() < kManyRounds ||
           std::ranges::any_of(one.second, [&](size_t row) { return !AreAlike(bytes(row), first); });
  });
  return by_line;
}

std::vector<size_t> StagesAfter(const Application& application, const std::vector<size_t>& writers) {
  std::vector<size_t> readers;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    const std::vector<int64_t>& parents = application.stages[row].parents;
    const auto is_parent = [&](size_t writer) { return Contains(parents, application.stages[writer].id); };
    if (std::ranges::any_of(writers, is_parent)) readers.push_back(row);
  }
  return readers;
}

}  // namespace

std::optional<Finding> FindUnusedCaches(const FindingInput& input) {
  // A running application may read it later; users at a prompt may have planned to.
  if (!input.application.ended || IsInteractive(input.application)) return std::nullopt;
  std::vector<const CachedRdd*> unused;
  for (const CachedRdd& rdd : input.application.cached_rdds) {
    if (IsUnused(input, rdd)) unused.push_back(&rdd);
  }
  if (unused.empty()) return FindCachedSteps(input);
  Finding finding;
  finding.claim.removal = kMost;
  finding.title = unused.size() > 1 ? fmt::format("{} cached data sets are read once at most", unused.size())
                  : unused.front()->stages.size() > 1
                      ? fmt::format("Cached data is read only once: {}", NameOf(*unused.front()))
                      : fmt::format("Cached data is never read: {}", NameOf(*unused.front()));
  finding.what = unused.front()->stages.size() == 1 ? "Only the stage that computed the data ran with it"
                                                    : "Only the query that computed the data read it, once";
  for (size_t i = 0; i < std::min(unused.size(), kMaxNamedCaches); ++i) {
    finding.evidence +=
        fmt::format("{}{} in stage {}", i == 0 ? "" : "; ", NameOf(*unused[i]), unused[i]->stages.front());
  }
  for (const CachedRdd* rdd : unused) {
    finding.stages.insert(finding.stages.end(), rdd->stages.begin(), rdd->stages.end());
    AddCost(input, *rdd, &finding.claim);
  }
  finding.condition =
      "The application ended, and only one stage, or only the query that computed it, ran with an RDD or DataFrame "
      "that it had cached; not those of libraries";
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.stage = unused.front()->stages.front();
  finding.change = "Remove the cache() or persist() call: storing the rows costs time and takes memory from execution";
  return finding;
}

std::optional<Finding> FindWideCaches(const FindingInput& input) {
  CachedFiles worst;
  int64_t most_ns = 0;
  for (auto& [source, files] : CachesOf(input.application)) {
    const bool is_wide = files.columns >= kManyColumns && files.most_read * kTimesFewer <= files.columns;
    if (!is_wide || files.queries.size() > kFewQueries) continue;
    const int64_t time_ns = TimeOfStages(input, files.filling);
    if (time_ns <= most_ns) continue;
    most_ns = time_ns;
    worst = std::move(files);
  }
  if (Share(most_ns, input.duration_ns) < kMuchOfTime || most_ns < kWorthwhileNs) return std::nullopt;
  Finding finding;
  finding.title =
      fmt::format("A cache keeps {} columns, of which queries read {}: {}", worst.columns, worst.most_read, worst.text);
  finding.what = fmt::format("{} {} read at most {} of the {} columns that the first one stores", worst.queries.size(),
                             worst.queries.size() == 1 ? "query" : "queries", worst.most_read, worst.columns);
  finding.evidence = fmt::format("the stages that fill the cache take {}", FormatDuration(most_ns));
  finding.condition = fmt::format(
      "Up to {} queries use a cache of at least {} columns of files and read at most 1/{} of these, and filling it "
      "takes at least {} of the duration",
      kFewQueries, kManyColumns, kTimesFewer, FormatShare(kMuchOfTime));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = worst.filling;
  finding.change =
      "Remove the cache() or persist(): reading the few columns again costs less than storing all of them. Or select() "
      "the columns that the queries need before it";
  finding.claim = ClaimStages(input, worst.filling, most_ns, kHalf);
  return finding;
}

std::optional<Finding> FindReshuffledCaches(const FindingInput& input) {
  const Application& application = input.application;
  constexpr int64_t kPartOfReaders = 2;  // estimate: half of their time
  std::optional<Finding> worst;
  int64_t most_ns = 0;
  for (const auto& [line, rounds] : RoundsOf(input)) {
    int64_t writing_ns = 0, reading_ns = 0;
    std::vector<int64_t> stages;
    for (const size_t row : rounds) {
      writing_ns += input.stages[row].wall_ns;
      stages.push_back(application.stages[row].id);
    }
    for (const size_t row : StagesAfter(application, rounds)) {
      reading_ns += input.stages[row].wall_ns;
      stages.push_back(application.stages[row].id);
    }
    const int64_t time_ns = writing_ns + reading_ns / kPartOfReaders;
    if (time_ns <= most_ns || Share(time_ns, input.duration_ns) < kMuchOfTime) continue;
    most_ns = time_ns;
    const int64_t bytes = input.stages[rounds.front()].Total(TaskMetric::kShuffleWriteBytes);
    Finding& finding = worst.emplace();
    finding.title = fmt::format("A cached RDD is shuffled again in each of {} stages", rounds.size());
    finding.what = fmt::format("{} stages of {} read a cached RDD and write {} of shuffle each", rounds.size(),
                               ShortCallSite(line), FormatBytes(bytes));
    finding.evidence = fmt::format("writing it takes {}, the stages that read it {}", FormatDuration(writing_ns),
                                   FormatDuration(reading_ns));
    finding.condition = fmt::format(
        "At least {} stages of one line of an RDD program read a cache and write about as much shuffle each, at least "
        "{}, and that takes at least {} of the duration, with half of the time of the stages that read it",
        kManyRounds, FormatBytes(kMuchShuffle), FormatShare(kMuchOfTime));
    finding.selection.event = EventName(Event::kCpu);
    finding.stages = stages;
    if (IsOfProgram(ShortCallSite(line))) finding.frames = {ShortCallSite(line)};
    finding.change =
        "Keep the partitioner of the cached RDD, so that joins with it need no shuffle: mapValues() or flatMapValues() "
        "instead of map() after groupByKey(), reduceByKey() or partitionBy(), and persist() the result";
    finding.claim = ClaimStages(input, stages, time_ns, kHalf);
  }
  return worst;
}

}  // namespace sparkprof
