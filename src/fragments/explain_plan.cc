// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/findings/advice.h"
#include "base/text/characters.h"
#include "base/text/text.h"
#include "fragments/fragment_readers.h"
#include "model/plan_operators.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxNodes = 20'000;
constexpr size_t kShownScans = 10;
constexpr size_t kMaxPlanText = 200;
constexpr double kLowConfidence = 0.2;
constexpr const char* kOfPlan =
    "The plan has it; whether it costs much depends on the data, which a plan does not show";

struct Node {
  std::string kind;  // from KindOf
  std::string text;  // its line, or its details in a formatted plan
  size_t depth = 0;
  int parent = -1;  // index of the row
};

// Strips the branches and the code generation number from "+- *(2) Filter (id#0L > 1)".
std::string_view WithoutBranches(std::string_view line, size_t* depth) {
  const size_t name = std::min(line.find_first_not_of(" :+-"), line.size());
  *depth = name / 3;
  line.remove_prefix(name);
  if (line.starts_with('*')) {
    line = Trim(line.substr(1));
    if (line.starts_with('(')) line = Trim(line.substr(std::min(line.find(')'), line.size() - 1) + 1));
  }
  return line;
}

// The number at the end of "Project (4)" in a formatted plan; 0 if there is none.
int64_t NumberOf(std::string_view node) {
  const size_t open = node.rfind('(');
  if (open == std::string_view::npos || !node.ends_with(')')) return 0;
  return ParseInteger(node.substr(open + 1, node.size() - open - 2)).value_or(0);
}

class PlanReader {
 public:
  std::vector<Node> Read(std::string_view text) {
    constexpr std::string_view kPhysical = "== Physical Plan ==";
    if (const size_t begin = text.find(kPhysical); begin != std::string_view::npos)
      text.remove_prefix(begin + kPhysical.size());
    while (!text.empty() && nodes_.size() < kMaxNodes) AddLine(WithoutCarriageReturn(TakeLine(&text)));
    for (Node& node : nodes_) {
      // Numbers are unique: a copy for each node with the same one could be much larger than the text.
      if (auto details = details_.extract(NumberOf(node.text)); !details.empty())
        node.text = std::move(details.mapped());
    }
    return std::move(nodes_);
  }

 private:
  void AddLine(std::string_view line) {
    if (Trim(line).empty()) {
      detail_ = nullptr;
      in_tree_ &= nodes_.empty();
    } else if (line.starts_with('(') && line.size() > 1 && IsDigit(line[1])) {
      const int64_t number = ParseInteger(line.substr(1, line.find(')') - 1)).value_or(0);
      detail_ = &details_[number];
      *detail_ = Trim(line.substr(std::min(line.find(')') + 1, line.size())));
    } else if (detail_ != nullptr) {
      detail_->append("; ").append(Trim(line));
    } else if (line.find("== Initial Plan ==") != std::string_view::npos) {
      in_tree_ = false;
    } else if (in_tree_) {
      AddNode(line);
    }
  }

  void AddNode(std::string_view line) {
    size_t depth = 0;
    const std::string_view text = WithoutBranches(line, &depth);
    const std::string name(text.begin(), std::find_if_not(text.begin(), text.end(), IsAlnum));
    if (name.empty() || !IsLetter(name[0])) return;
    Node node{.kind = std::string(KindOf({.name = name})), .text = std::string(text), .depth = depth};
    for (size_t row = nodes_.size(); row > 0; --row) {
      if (nodes_[row - 1].depth >= depth) continue;
      node.parent = static_cast<int>(row) - 1;
      break;
    }
    nodes_.push_back(std::move(node));
  }

  std::vector<Node> nodes_;
  std::map<int64_t, std::string> details_;
  std::string* detail_ = nullptr;
  bool in_tree_ = true;
};

// "IsNotNull(id), EqualTo(id,3)" for the field PushedFilters; nullopt if the node lacks the field.
std::optional<std::string> FieldOf(const Node& node, std::string_view name) {
  const size_t at = node.text.find(name);
  if (at == std::string::npos) return std::nullopt;
  const size_t open = node.text.find('[', at);
  if (open == std::string::npos) return std::nullopt;
  int depth = 0;
  for (size_t end = open; end < node.text.size(); ++end) {
    if (node.text[end] == '[') ++depth;
    if (node.text[end] == ']' && --depth == 0) return node.text.substr(open + 1, end - open - 1);
  }
  return node.text.substr(open + 1);
}

// The filters that a source applies. Formatted plans omit empty lists; other sources have nullopt.
std::optional<std::string> PushedFiltersOf(const Node& node) {
  const std::optional<std::string> filters = FieldOf(node, "PushedFilters:");
  return filters || node.text.find("ReadSchema:") == std::string::npos ? filters : std::string();
}

bool IsScan(const Node& node) { return node.kind == "Scan" || node.kind == "FileScan" || node.kind == "BatchScan"; }

// "FileScan parquet spark_catalog.shop.orders"; includes the location if the source is a path.
std::string NameOfScan(const Node& node) {
  std::string name(Trim(std::string_view(node.text).substr(0, node.text.find_first_of("[;"))));
  if (name.find('.') == std::string::npos) {
    if (const auto location = FieldOf(node, "Location: ")) name += fmt::format(" of {}", *location);
  }
  return Shorten(name, kMaxPlanText);
}

// True if a condition has more than checks for null.
bool HasComparison(std::string_view condition) {
  return condition.find_first_of("=<>") != std::string_view::npos ||
         condition.find(" LIKE ") != std::string_view::npos || condition.find(" IN ") != std::string_view::npos ||
         condition.find("Contains(") != std::string_view::npos || condition.find("UDF(") != std::string_view::npos;
}

// True if the source applies more than checks for null.
bool IsPushed(std::string_view filters) {
  while (!filters.empty()) {
    const size_t end = filters.find("), ");
    std::string_view one = Trim(filters.substr(0, end));
    if (one.starts_with('*')) one.remove_prefix(1);  // Spark 2
    if (!one.empty() && !one.starts_with("IsNotNull(")) return true;
    filters = end == std::string_view::npos ? std::string_view() : filters.substr(end + 3);
  }
  return false;
}

Finding& AddPossible(std::string_view rule, std::string title, const Node& node, FragmentAnswer* answer) {
  Finding& finding = AddFinding(rule, std::move(title), answer);
  finding.evidence = Shorten(node.text, kMaxPlanText);
  finding.condition = kOfPlan;
  finding.confidence = kLowConfidence;
  return finding;
}

void AddJoins(const std::vector<Node>& nodes, FragmentAnswer* answer) {
  for (const Node& node : nodes) {
    const bool is_product = node.kind == "CartesianProduct";
    if (!is_product && node.kind != "BroadcastNestedLoopJoin") continue;
    Finding& finding = AddPossible("exploding-join",
                                   is_product ? "A join compares all pairs of rows (CartesianProduct)"
                                              : "A join compares all pairs of rows (BroadcastNestedLoopJoin)",
                                   node, answer);
    const auto has = [&](std::string_view part) { return node.text.find(part) != std::string::npos; };
    const bool is_disjunction = has(" = ") && (has(" OR ") || has(" || "));
    finding.what = is_disjunction
                       ? "An equality beside OR is none that must hold, so a join compares each row of one input with "
                         "each row of the other"
                       : "Without an equality in its condition, a join compares each row of one input with each row "
                         "of the other";
    finding.change =
        is_disjunction
            ? "Make a join for each side of the OR, and unite their rows without those that an earlier one has; or "
              "move what both sides have in common before the OR"
            : "Add an equality of columns to the condition of the join, or filter both inputs before it";
    return;
  }
}

void AddSingleReads(const std::vector<Node>& nodes, FragmentAnswer* answer) {
  for (const Node& node : nodes) {
    const size_t relation = node.text.find("JDBCRelation(");
    if (!IsScan(node) || relation == std::string::npos || node.text.find("[numPartitions=1]") == std::string::npos)
      continue;
    Finding& finding =
        AddPossible("few-partitions", fmt::format("One task reads all of {}", NameOfScan(node)), node, answer);
    finding.what = "The table comes over one connection, in one partition, up to the next exchange";
    finding.change =
        "Set the options partitionColumn, lowerBound, upperBound and numPartitions together, as numPartitions alone "
        "does not divide a read; or pass predicates to jdbc(). To read less, filter or aggregate in the database (the "
        "option query)";
    return;
  }
}

// "Coalesce 1", and no larger number.
bool IsCoalesceToOne(std::string_view text) {
  constexpr std::string_view kOne = "Coalesce 1";
  const size_t at = text.find(kOne);
  if (at == std::string_view::npos) return false;
  const std::string_view behind = text.substr(at + kOne.size());
  return behind.empty() || behind[0] < '0' || behind[0] > '9';
}

// Reports what leads all rows through one task: coalesce(1), and windows without PARTITION BY.
void AddSingleTasks(const std::vector<Node>& nodes, FragmentAnswer* answer) {
  constexpr int kNear = 3;  // a sort and a projection may stand between a window and its exchange
  for (const Node& node : nodes) {
    if (node.kind == "Coalesce" && IsCoalesceToOne(node.text)) {
      Finding& finding = AddPossible("few-partitions",
                                     "One task computes everything up to the exchange below coalesce(1)", node, answer);
      finding.what =
          "coalesce(1) moves no rows: it makes one task of all that stands between it and the exchange or scan below";
      finding.change =
          "Write several files; if it must be one, repartition(1) keeps the work before it in many tasks, and only the "
          "write in one";
      return;
    }
    if (node.kind != "Exchange" || node.text.find("SinglePartition") == std::string::npos) continue;
    int above = node.parent;
    for (int step = 0; step < kNear && above >= 0; ++step) {
      const Node& user = nodes[static_cast<size_t>(above)];
      if (user.kind == "Window") {
        Finding& finding =
            AddPossible("few-partitions", "A window without PARTITION BY runs in one task", user, answer);
        finding.what = "All rows go to one partition, which one task sorts and computes";
        finding.change =
            "Add partitionBy to the window; for numbers of rows, use monotonically_increasing_id() or zipWithIndex, "
            "and for totals an aggregate that is joined";
        return;
      }
      above = user.parent;
    }
  }
}

bool IsRelation(std::string_view name) {
  return name.starts_with("Relation") || name.starts_with("HiveTableRelation") || name.starts_with("LogicalRelation");
}

// Reports relations of logical plans (EXPLAIN COST) whose size is the default, spark.sql.defaultSizeInBytes.
void AddUnknownSizes(std::string_view text, FragmentAnswer* answer) {
  int64_t relations = 0;
  std::string first;
  while (!text.empty()) {
    const std::string_view line = TakeLine(&text);
    size_t depth = 0;
    const std::string_view node = WithoutBranches(line, &depth);
    const bool is_unknown = node.find("Statistics(sizeInBytes=8.0 E") != std::string_view::npos;
    if (!is_unknown || !IsRelation(node)) continue;
    ++relations;
    if (first.empty()) first = Shorten(node, kMaxPlanText);
  }
  if (relations == 0) return;
  Finding& finding = AddFinding("broadcastable-join",
                                fmt::format("Spark does not know the size of {}", Counted(relations, "table")), answer);
  finding.what =
      "8.0 EB is the default of a table without statistics, and sizes above it follow from it. So a join is planned "
      "with a shuffle, also if the table is small";
  finding.evidence = first;
  finding.condition = kOfPlan;
  finding.confidence = kLowConfidence;
  finding.change =
      "Run ANALYZE TABLE … COMPUTE STATISTICS FOR COLUMNS of joins and filters, and set spark.sql.cbo.enabled=true; or "
      "spark.sql.statistics.fallBackToHdfs=true; or add a broadcast hint to the small input. Adaptive execution "
      "(spark.sql.adaptive.enabled) uses the real sizes";
}

// Adds facts about adaptive execution.
void AddAdaptiveFacts(std::string_view text, FragmentAnswer* answer) {
  if (text.find("isFinalPlan=false") != std::string_view::npos) {
    answer->facts.push_back(
        "The plan before its execution (isFinalPlan=false): adaptive execution is on, and changes joins and numbers of "
        "partitions while the query runs. The page SQL of Spark's UI shows the final plan, and so does explain() after "
        "an action on the same DataFrame");
    return;
  }
  if (text.find("== Final Plan ==") == std::string_view::npos &&
      text.find("isFinalPlan=true") == std::string_view::npos)
    return;
  answer->facts.push_back("The final plan of adaptive execution, as it ran");
  constexpr std::string_view kSkew = "Join(skew=true)";
  int64_t joins = 0;
  text = text.substr(0, text.find("== Initial Plan =="));
  for (size_t at = text.find(kSkew); at != std::string_view::npos; at = text.find(kSkew, at + kSkew.size())) ++joins;
  if (joins > 0)
    answer->facts.push_back(
        fmt::format("Skew is handled: the large partitions of {} were split", Counted(joins, "join")));
}

// "4000" in "Exchange hashpartitioning(a#1, b#2, 4000), REPARTITION_BY_NUM"; empty if there is none.
std::string_view PartitionsOf(const Node& exchange) {
  const size_t close = exchange.text.rfind("),");
  const size_t comma = exchange.text.rfind(", ", close);
  if (close == std::string::npos || comma == std::string::npos) return {};
  const std::string_view partitions = std::string_view(exchange.text).substr(comma + 2, close - comma - 2);
  return IsDigits(partitions) ? partitions : std::string_view();
}

// Reports copy-on-write: UPDATE, DELETE and MERGE of Iceberg that rewrite all rows of changed files.
void AddRewrites(const std::vector<Node>& nodes, FragmentAnswer* answer) {
  for (size_t row = 0; row < nodes.size(); ++row) {
    const Node& write = nodes[row];
    if (write.kind != "ReplaceData") continue;
    // The exchange that distributes the table's rows is below the write and its sort.
    const Node* below = row + 1 < nodes.size() ? &nodes[row + 1] : nullptr;
    if (below != nullptr && below->kind == "Sort" && row + 2 < nodes.size()) below = &nodes[row + 2];
    const bool has_exchange =
        below != nullptr && IsExchange(below->kind) && below->text.find("REPARTITION") != std::string::npos;
    Finding& finding = AddPossible("rewritten-output",
                                   "Files with a row to change are written anew whole (copy-on-write)", write, answer);
    finding.what = "The command reads the files that have a row to change, and writes all their rows again";
    if (has_exchange) {
      const std::string_view partitions = PartitionsOf(*below);
      finding.what += fmt::format(
          "; before that, all of them go through one more exchange{}, which usually comes from "
          "the table's write.distribution-mode",
          partitions.empty() ? std::string() : fmt::format(" with {} partitions", partitions));
    }
    finding.change =
        "If few rows change, set write.merge.mode, write.update.mode or write.delete.mode of the table to "
        "merge-on-read (format version 2); compare partition columns with literals in the condition, so that fewer "
        "files have such rows";
    if (has_exchange)
      finding.change +=
          "; without the exchange (write.distribution-mode=none, or write.merge.distribution-mode) tasks write more "
          "files each";
    return;
  }
}

void AddPython(const std::vector<Node>& nodes, FragmentAnswer* answer) {
  for (const Node& node : nodes) {
    if (!IsPythonOperator(node.kind)) continue;
    const bool is_pickled = node.kind == "BatchEvalPython";
    Finding& finding = AddPossible(is_pickled ? "pickled-rows" : "python-bound",
                                   is_pickled ? std::string("A Python function gets each row without Arrow")
                                              : fmt::format("Rows go to Python and back ({})", node.kind),
                                   node, answer);
    finding.what =
        is_pickled
            ? "Rows are pickled for a Python worker and back, one call for each row, between operators of the JVM"
            : "Batches of rows go to a Python worker and back between operators of the JVM";
    finding.change = is_pickled ? "Use functions of DataFrames (pyspark.sql.functions), or pandas_udf; or set "
                                  "spark.sql.execution.pythonUDF.arrow.enabled=true"
                                : "Use functions of DataFrames (pyspark.sql.functions) where they do the same, and "
                                  "select few columns before";
    return;
  }
}

// True if all comparisons of a filter are partition filters of its scan, which reads only matching folders.
bool IsOfPartitions(std::string_view filter, std::string_view scan) {
  const size_t at = scan.find("PartitionFilters: [");
  if (at == std::string_view::npos) return false;
  const std::string_view partitions = scan.substr(at, scan.find("PushedFilters", at) - at);
  while (!filter.empty()) {
    const size_t end = filter.find(" AND ");
    std::string_view part = filter.substr(0, end);
    filter = end == std::string_view::npos ? std::string_view() : filter.substr(end + 5);
    if (const size_t open = part.find('('); part.starts_with("Filter")) part.remove_prefix(std::min(open, part.size()));
    while (part.starts_with('(')) part.remove_prefix(1);
    while (part.ends_with(')')) part.remove_suffix(1);
    if (HasComparison(part) && partitions.find(part) == std::string_view::npos) return false;
  }
  return true;
}

void AddFilters(const std::vector<Node>& nodes, FragmentAnswer* answer) {
  for (const Node& scan : nodes) {
    const auto pushed = PushedFiltersOf(scan);
    if (!IsScan(scan) || !pushed || IsPushed(*pushed)) continue;
    const auto parent_of = [&](const Node& node) {
      return node.parent < 0 ? nullptr : &nodes[static_cast<size_t>(node.parent)];
    };
    const Node* filter = parent_of(scan);
    while (filter != nullptr &&
           (filter->kind == "ColumnarToRow" || filter->kind == "InputAdapter" || filter->kind == "Project"))
      filter = parent_of(*filter);
    if (filter == nullptr || filter->kind != "Filter" || !HasComparison(filter->text)) continue;
    if (IsOfPartitions(filter->text, scan.text)) continue;
    Finding& finding = AddPossible("unpushed-filter", fmt::format("A filter is not pushed into {}", NameOfScan(scan)),
                                   *filter, answer);
    finding.what = "The scan reads rows that the filter above it drops, as the source applies no part of its condition";
    finding.change =
        "Compare the column itself with a literal of its type: no function, cast or Python function around it";
    return;
  }
}

}  // namespace

std::string AnswerExplainPlan(std::string_view text, FragmentAnswer* answer) {
  const std::vector<Node> nodes = PlanReader().Read(text);
  Counts joins, exchanges, python;
  std::vector<std::string> scans;
  for (const Node& node : nodes) {
    if (node.kind.ends_with("Join") || node.kind == "CartesianProduct") ++joins[node.kind];
    if (IsExchange(node.kind)) {
      std::string kind = node.kind;
      for (const std::string_view partitioning :
           {"hashpartitioning", "rangepartitioning", "SinglePartition", "RoundRobinPartitioning"})
        if (node.text.find(partitioning) != std::string::npos) kind = fmt::format("{} {}", node.kind, partitioning);
      ++exchanges[kind];
    }
    if (IsPythonOperator(node.kind)) ++python[node.kind];
    if (!IsScan(node)) continue;
    const auto pushed = PushedFiltersOf(node), partitions = FieldOf(node, "PartitionFilters:");
    const auto filters = [](std::string_view name, const std::optional<std::string>& value) {
      if (!value) return std::string();
      return value->empty() ? fmt::format(", no {}", name)
                            : fmt::format(", {} {}", name, Shorten(*value, kMaxPlanText));
    };
    scans.push_back(fmt::format("{}{}{}", NameOfScan(node), filters("partition filters", partitions),
                                filters("pushed filters", pushed)));
  }
  AddAdaptiveFacts(text, answer);
  if (!joins.empty()) answer->facts.push_back("Joins: " + CountsText(joins));
  if (!exchanges.empty()) answer->facts.push_back("Exchanges: " + CountsText(exchanges));
  if (!python.empty()) answer->facts.push_back("Python: " + CountsText(python));
  if (scans.size() > kShownScans) scans.resize(kShownScans);
  for (const std::string& scan : scans) answer->facts.push_back("Scan: " + scan);
  AddJoins(nodes, answer);
  AddSingleReads(nodes, answer);
  AddSingleTasks(nodes, answer);
  AddUnknownSizes(text, answer);
  AddRewrites(nodes, answer);
  AddPython(nodes, answer);
  AddFilters(nodes, answer);
  return nodes.empty() ? "no physical plan" : Counted(static_cast<int64_t>(nodes.size()), "operator");
}

}  // namespace sparkprof
