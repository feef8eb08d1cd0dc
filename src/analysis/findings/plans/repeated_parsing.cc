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
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"
#include "profiles/frame_weights.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyParses = 5;  // per value

// The number of get_json_object() calls of an operator for one column. Spark truncates the texts of plans.
int64_t AllParsesOf(const PlanOperator& one) {
  static const re2::RE2 pattern(R"(get_json_object\(([^,()]+#\d+),)");
  // The second half of an aggregation repeats the expressions of the first.
  if (one.kind.ends_with("Aggregate") && one.plan->text.find("=[partial_") == std::string::npos) return 0;
  std::map<std::string, int64_t> by_column;
  int64_t most = 0;
  re2::StringPiece text(one.plan->text);
  std::string column;
  while (re2::RE2::FindAndConsume(&text, pattern, &column)) most = std::max(most, ++by_column[column]);
  return most;
}

int64_t ParsesOf(const PlanOperator& one) {
  const int64_t count = AllParsesOf(one);
  return count < kManyParses ? 0 : count;
}

// Operators that parse a column more than once.
struct Parsers {
  std::vector<int64_t> stages;  // IDs
  int64_t queries = 0;
};

Parsers ParsersOf(const Application& application) {
  Parsers parsers;
  std::set<int64_t> stages;
  for (const SqlExecution& sql : application.sql_executions) {
    bool parses = false;
    for (const PlanOperator& one : OperatorsOf(sql.plan)) {
      if (AllParsesOf(one) < 2) continue;
      parses = true;
      stages.insert(one.stages.begin(), one.stages.end());
    }
    if (parses) ++parsers.queries;
  }
  parsers.stages.assign(stages.begin(), stages.end());
  return parsers;
}

// The share of JSON parsing in these stages' CPU samples; negative without samples.
double ShareOfParsing(const FindingInput& input, const std::vector<int64_t>& stages) {
  const Profile& profile = input.application.profile;
  const EventId cpu = profile.Row(Event::kCpu);
  std::vector<uint32_t> rows;
  int64_t all_ns = 0, most_ns = 0;
  for (size_t stage = 0; stage < input.stages.size(); ++stage) {
    if (std::find(stages.begin(), stages.end(), input.application.stages[stage].id) == stages.end()) continue;
    for (const uint32_t row : input.stages[stage].samples) {
      if (profile.samples[row].event != cpu) continue;
      rows.push_back(row);
      all_ns += profile.samples[row].weight;
    }
  }
  if (all_ns == 0) return -1;
  for (const FunctionWeight& weight : WeighFunctions(profile, input.functions, rows)) {
    const std::string_view name = profile.strings.Get(input.functions.Get(weight.function).name);
    if (name.find("GetJsonObject") != std::string_view::npos) most_ns = std::max(most_ns, weight.total);
  }
  return Share(most_ns, all_ns);
}

}  // namespace

std::optional<Finding> FindRepeatedParsing(const FindingInput& input) {
  const std::optional<PlacedOperator> parser = WorstOperator(input.application, ParsesOf);
  if (!parser) return std::nullopt;
  const int64_t count = ParsesOf(parser->one);
  const Parsers parsers = ParsersOf(input.application);
  const int64_t stages_ns = TimeOfStages(input, parsers.stages);
  const double sampled = ShareOfParsing(input, parsers.stages);
  const bool is_sampled = sampled >= 0;
  if (Share(stages_ns, input.duration_ns) < kMuchOfTime || (is_sampled && sampled < kMuchOfCode)) return std::nullopt;
  Finding finding;
  finding.title = parsers.queries == 1
                      ? fmt::format("A query parses the same JSON text {} times for each row", CountText(count))
                      : fmt::format("{} queries parse the same JSON text up to {} times for each row",
                                    CountText(parsers.queries), CountText(count));
  if (is_sampled) finding.title += fmt::format(", for {} of CPU time", FormatShare(sampled));
  finding.what = fmt::format("{} calls get_json_object() {} times with the same column, and each call parses all of it",
                             OperatorText(*parser), CountText(count));
  finding.evidence = fmt::format("{:.120}; {} {}", parser->node().text,
                                 parsers.queries == 1 ? "its stages take" : "the stages of all these queries take",
                                 FormatDuration(stages_ns));
  finding.condition = fmt::format(
      "An operator calls get_json_object() at least {} times with the same column, and the stages of all operators "
      "that do so at least twice take at least {} of the duration; with samples, parsing takes at least {} of their "
      "CPU "
      "time",
      kManyParses, FormatShare(kMuchOfTime), FormatShare(kMuchOfCode));
  PointAt(*parser, &finding);
  finding.stages = parsers.stages;
  finding.change =
      "Parse the text once: from_json() with a schema of the fields that the query needs, and select them from its "
      "result. Store the fields as columns of Parquet if they are read often";
  if (parsers.queries > 1)
    finding.change += ", or cache() the DataFrame with the fields, not that with the text, for all of these queries";
  const double again = (is_sampled ? sampled : 1) * (1 - 1 / static_cast<double>(count));
  finding.claim = ClaimStages(input, parsers.stages, static_cast<int64_t>(static_cast<double>(stages_ns) * again),
                              is_sampled ? kMost : kHalf);
  return finding;
}

}  // namespace sparkprof
