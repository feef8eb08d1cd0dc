// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/machine/cpu_stacks.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyParses = 5;  // per value

// A function that reads all of a text for one value of it.
struct ParsingFunction {
  std::string_view name;
  const char* text;            // name of its argument
  std::string_view frames[2];  // parts of the names of its frames
  const char* change;
  RuleLevel level = RuleLevel::kCause;
};
constexpr ParsingFunction kFunctions[] = {
    {"get_json_object",
     "JSON text",
     {"GetJsonObject", "GetJsonObject"},
     "Parse the text once: from_json() with a schema of the fields that the query needs, and select them from its "
     "result. Store the fields as columns of Parquet if they are read often"},
    {"regexp_extract",
     "text",
     {"RegExpExtract", "java.util.regex.Matcher."},
     "Match the text once: split() it, or regexp_replace() it by its groups with a separator between them, split() "
     "that, and select the fields from the array",
     RuleLevel::kPart}};

// The most calls of the function by an operator for one column. Spark truncates the texts of plans.
int64_t ParsesOf(const PlanOperator& one, const ParsingFunction& function) {
  if (one.plan->text.find(function.name) == std::string::npos) return 0;
  // The second half of an aggregation repeats the expressions of the first.
  if (one.kind.ends_with("Aggregate") && one.plan->text.find("=[partial_") == std::string::npos) return 0;
  const re2::RE2 pattern(fmt::format(R"({}\(([^,()]+#\d+),)", function.name));
  std::map<std::string, int64_t> by_column;
  int64_t most = 0;
  re2::StringPiece text(one.plan->text);
  std::string column;
  while (re2::RE2::FindAndConsume(&text, pattern, &column)) most = std::max(most, ++by_column[column]);
  return most;
}

int64_t ManyParsesOf(const PlanOperator& one) {
  int64_t most = 0;
  for (const ParsingFunction& function : kFunctions) most = std::max(most, ParsesOf(one, function));
  return most < kManyParses ? 0 : most;
}

// Operators that parse a column more than once.
struct Parsers {
  std::vector<int64_t> stages;  // IDs
  int64_t queries = 0;
};

Parsers ParsersOf(const Application& application, const ParsingFunction& function) {
  Parsers parsers;
  std::set<int64_t> stages;
  for (const SqlExecution& sql : application.sql_executions) {
    bool parses = false;
    for (const PlanOperator& one : OperatorsOf(sql.plan)) {
      if (ParsesOf(one, function) < 2) continue;
      parses = true;
      stages.insert(one.stages.begin(), one.stages.end());
    }
    if (parses) ++parsers.queries;
  }
  parsers.stages.assign(stages.begin(), stages.end());
  return parsers;
}

// The share of the function in these stages' CPU samples; negative without samples.
double ShareOfParsing(const FindingInput& input, const std::vector<int64_t>& stages, const ParsingFunction& function) {
  const Profile& profile = input.application.profile;
  const auto is_of_function = [&](FrameId frame) {
    const std::string_view name = profile.strings.Get(profile.frames.Get(frame).name);
    return std::any_of(std::begin(function.frames), std::end(function.frames),
                       [&](std::string_view one) { return name.find(one) != std::string_view::npos; });
  };
  int64_t all_ns = 0, parsing_ns = 0;
  for (size_t stage = 0; stage < input.stages.size(); ++stage) {
    if (std::find(stages.begin(), stages.end(), input.application.stages[stage].id) == stages.end()) continue;
    for (const auto& [leaf, weight] : CpuOfStacks(input.application, input.stages[stage])) {
      StackId stack = leaf;
      while (stack != 0 && !is_of_function(profile.stacks.Get(stack).frame)) stack = profile.stacks.Get(stack).parent;
      all_ns += weight;
      if (stack != 0) parsing_ns += weight;
    }
  }
  return all_ns == 0 ? -1 : Share(parsing_ns, all_ns);
}

}  // namespace

std::optional<Finding> FindRepeatedParsing(const FindingInput& input) {
  const std::optional<PlacedOperator> parser = WorstOperator(input.application, ManyParsesOf);
  if (!parser) return std::nullopt;
  const int64_t count = ManyParsesOf(parser->one);
  const ParsingFunction& function =
      *std::find_if(std::begin(kFunctions), std::end(kFunctions),
                    [&](const ParsingFunction& one) { return ParsesOf(parser->one, one) == count; });
  const Parsers parsers = ParsersOf(input.application, function);
  const int64_t stages_ns = TimeOfStages(input, parsers.stages);
  const double sampled = ShareOfParsing(input, parsers.stages, function);
  const bool is_sampled = sampled >= 0;
  if (Share(stages_ns, input.duration_ns) < kMuchOfTime || (is_sampled && sampled < kMuchOfCode)) return std::nullopt;
  Finding finding;
  finding.title = parsers.queries == 1
                      ? fmt::format("A query parses the same {} {} times for each row", function.text, CountText(count))
                      : fmt::format("{} queries parse the same {} up to {} times for each row",
                                    CountText(parsers.queries), function.text, CountText(count));
  if (is_sampled) finding.title += fmt::format(", for {} of CPU time", FormatShare(sampled));
  finding.what = fmt::format("{} calls {}() {} times with the same column, and each call parses all of it",
                             OperatorText(*parser), function.name, CountText(count));
  finding.evidence = fmt::format("{:.120}; {} {}", parser->node().text,
                                 parsers.queries == 1 ? "its stages take" : "the stages of all these queries take",
                                 FormatDuration(stages_ns));
  finding.condition = fmt::format(
      "An operator calls get_json_object() or regexp_extract() at least {} times with the same column, and the stages "
      "of all operators "
      "that do so at least twice take at least {} of the duration; with samples, parsing takes at least {} of their "
      "CPU "
      "time",
      kManyParses, FormatShare(kMuchOfTime), FormatShare(kMuchOfCode));
  PointAt(*parser, &finding);
  finding.stages = parsers.stages;
  finding.change = function.change;
  finding.level = function.level;
  if (parsers.queries > 1)
    finding.change += ", or cache() the DataFrame with the fields, not that with the text, for all of these queries";
  const double again = (is_sampled ? sampled : 1) * (1 - 1 / static_cast<double>(count));
  finding.claim = ClaimStages(input, parsers.stages, static_cast<int64_t>(static_cast<double>(stages_ns) * again),
                              is_sampled ? kMost : kHalf);
  return finding;
}

}  // namespace sparkprof
