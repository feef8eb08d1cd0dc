// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/stage_tasks.h"

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
  if (!Contains(one.plan->text, function.name)) return 0;
  // The second half of an aggregation repeats the expressions of the first.
  if (one.kind.ends_with("Aggregate") && !Contains(one.plan->text, "=[partial_")) return 0;
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
    return std::ranges::any_of(function.frames, [&](std::string_view one) { return Contains(name, one); });
  };
  int64_t all_ns = 0, parsing_ns = 0;
  for (size_t stage = 0; stage < input.stages.size(); ++stage) {
    if (!Contains(stages, input.application.stages[stage].id)) continue;
    for (const auto& [leaf, weight] : CpuOfStacks(input.application, input.stages[stage])) {
      StackId stack = leaf;
      while (stack != 0 && !is_of_function(profile.stacks.Get(stack).frame)) stack = profile.stacks.Get(stack).parent;
      all_ns += weight;
      if (stack != 0) parsing_ns += weight;
    }
  }
  return all_ns == 0 ? -1 : Share(parsing_ns, all_ns);
}

constexpr int kLongestLong = 18;  // digits of a decimal that Spark stores as a long
constexpr int64_t kManyCasts = 1'000'000;
// Cost of arithmetic with objects (BigDecimal) per value that a cast converts.
constexpr int64_t kNsPerCast = 400;

// Columns that an operator casts to decimals with more digits than a long holds.
std::set<std::string> WidenedColumns(const PlanOperator& one) {
  static const re2::RE2 cast(R"(cast\((\w+)#\d+L? as decimal\((\d+),\d+\)\))");
  std::set<std::string> columns;
  re2::StringPiece rest(one.plan->text);
  std::string column;
  int digits = 0;
  while (re2::RE2::FindAndConsume(&rest, cast, &column, &digits)) {
    if (digits > kLongestLong) columns.insert(column);
  }
  return columns;
}

// Adds the types shown by scans below an operator: "import_kwh:decimal(9,3)".
void AddSchemas(const PlanNode& node, std::string* schemas) {
  const size_t at = node.text.find("ReadSchema: ");
  if (at != std::string::npos) *schemas += node.text.substr(at);
  for (const PlanNode& child : node.children) AddSchemas(child, schemas);
}

// True if the column's type is known and is not a decimal that fits a long.
bool IsOfOtherType(std::string_view schemas, const std::string& column) {
  for (const char before : {'<', ','}) {
    const std::string name = before + column + ":";
    const size_t at = schemas.find(name);
    if (at == std::string_view::npos) continue;
    int digits = 0;
    const std::string_view type = schemas.substr(at + name.size());
    const size_t cut = type.find("...");
    if (cut < type.find_first_of(",>")) return false;
    static const re2::RE2 decimal(R"(decimal\((\d+),)");
    re2::StringPiece text(type);
    return !re2::RE2::Consume(&text, decimal, &digits) || digits > kLongestLong;
  }
  return false;
}

// The number of values that an operator converts to objects without need; otherwise 0. Spark truncates long schemas, so
// some types are unknown.
int64_t ValuesWidened(const PlanOperator& one) {
  std::set<std::string> columns = WidenedColumns(one);
  if (columns.empty()) return 0;
  std::string schemas;
  AddSchemas(*one.plan, &schemas);
  std::erase_if(columns, [&](const std::string& column) { return IsOfOtherType(schemas, column); });
  const int64_t values = one.rows_in.value_or(0) * static_cast<int64_t>(columns.size());
  return values < kManyCasts ? 0 : values;
}

}  // namespace

std::optional<Finding> FindRepeatedParsing(const FindingInput& input) {
  const std::optional<PlacedOperator> parser = WorstOperator(input.application, ManyParsesOf);
  if (!parser) return std::nullopt;
  const int64_t count = ManyParsesOf(parser->one);
  const ParsingFunction& function = *std::ranges::find_if(
      kFunctions, [&](const ParsingFunction& one) { return ParsesOf(parser->one, one) == count; });
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
      "of all operators that do so at least twice take at least {} of the duration; with samples, parsing takes at "
      "least {} of their CPU time",
      kManyParses, FormatShare(kMuchOfTime), FormatShare(kMuchOfCode));
  PointAt(*parser, &finding);
  finding.stages = parsers.stages;
  finding.change = function.change;
  finding.level = function.level;
  if (parsers.queries > 1)
    finding.change += ", or cache() the DataFrame with the fields, not that with the text, for all of these queries";
  const double again = (is_sampled ? sampled : 1) * (1 - 1 / static_cast<double>(count));
  finding.claim = ClaimStages(input, parsers.stages, Scaled(stages_ns, again), is_sampled ? kMost : kHalf);
  return finding;
}

std::optional<Finding> FindWideDecimals(const FindingInput& input) {
  const std::optional<PlacedOperator> worst = WorstOperator(input.application, ValuesWidened);
  if (!worst) return std::nullopt;
  const int64_t values = ValuesWidened(worst->one);
  const int64_t stages_ns = TimeOfStages(input, worst->one.stages);
  const int64_t saved_ns = std::min(stages_ns, values * kNsPerCast / input.cores);
  if (saved_ns < kWorthwhileNs || Share(saved_ns, input.duration_ns) < kNoticeable) return std::nullopt;
  const auto columns = static_cast<int64_t>(WidenedColumns(worst->one).size());
  Finding finding;
  finding.title = fmt::format("{} {} cast to decimals of more than {} digits, which are objects",
                              Counted(columns, "column"), columns == 1 ? "is" : "are", kLongestLong);
  finding.what = fmt::format("{} makes {} numbers objects (BigDecimal) before it computes with them",
                             OperatorText(*worst), CountText(values));
  finding.evidence = fmt::format("{:.200}; its stages take {}", worst->node().text, FormatDuration(stages_ns));
  finding.condition = fmt::format(
      "An operator casts columns to decimals of more than {} digits, for at least {} values, and computing with these "
      "takes about {} of the duration, by {} for each; not columns that are known to be of another type than a shorter "
      "decimal",
      kLongestLong, CountText(kManyCasts), FormatShare(kNoticeable), FormatDuration(kNsPerCast));
  PointAt(*worst, &finding);
  finding.change = fmt::format(
      "Compute with the narrow type of the columns, or with integers of the smallest unit, and cast the sums: Spark "
      "keeps decimals of at most {} digits as a long",
      kLongestLong);
  finding.claim = ClaimStages(input, worst->one.stages, saved_ns, kMost);
  return finding;
}

}  // namespace sparkprof
