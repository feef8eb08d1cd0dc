// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "analysis/plans/plan_text.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyColumns = 20;  // per cache
constexpr int64_t kTimesFewer = 3;    // columns that queries read, compared with the cache
constexpr size_t kFewQueries = 3;     // queries that use it, including the one that fills it

// A cached DataFrame of files.
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
  re2::RE2::PartialMatch(re2::StringPiece(list.data(), list.size()), cut, &more);
  return std::count(list.begin(), list.end(), '#') + more;
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

}  // namespace

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
      "takes "
      "at least {} of the duration",
      kFewQueries, kManyColumns, kTimesFewer, FormatShare(kMuchOfTime));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = worst.filling;
  finding.change =
      "Remove the cache() or persist(): reading the few columns again costs less than storing all of them. Or select() "
      "the columns that the queries need before it";
  finding.claim = ClaimStages(input, worst.filling, most_ns, kHalf);
  return finding;
}

}  // namespace sparkprof
