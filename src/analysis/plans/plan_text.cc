// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/plan_text.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/text/contains.h"
#include "base/text/text.h"
#include "model/query_text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kLocation = "Location: ";
constexpr size_t kSourceLength = 100;

// Spark renumbers the columns of each query.
std::string WithoutColumnNumbers(std::string_view text) {
  static const re2::RE2 number("#\\d+L?");
  std::string without(text);
  re2::RE2::GlobalReplace(&without, number, "");
  return without;
}

bool IsSourceScan(std::string_view kind) { return kind == "Scan" || kind == "BatchScan" || kind == "FileScan"; }

// The number of a column that the operators above generated rows read, "id#12": it is the same in all queries of one
// DataFrame. Empty if they read none.
std::string ColumnOf(const std::vector<PlanOperator>& operators, const PlanOperator& range) {
  static const re2::RE2 column("(\\bid#\\d+)");
  for (int32_t row = range.parent; row >= 0; row = operators[static_cast<size_t>(row)].parent) {
    std::string name;
    const std::string& text = operators[static_cast<size_t>(row)].plan->text;
    if (re2::RE2::PartialMatch(text, column, &name)) return name;
    if (IsExchange(operators[static_cast<size_t>(row)].kind)) break;
  }
  return {};
}

bool IsPartOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The text of a query, which spark-sql and Thrift servers use as description, in one line.
std::string ShortQuery(std::string_view text) {
  constexpr size_t kMostBytes = 80;
  std::string line;
  for (const char c : Trim(text)) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_blank || line.back() != ' ') line += is_blank ? ' ' : c;
    if (line.size() > 2 * kMostBytes) break;
  }
  return Shorten(line, kMostBytes);
}

}  // namespace

std::string_view FieldOf(std::string_view text, std::string_view name) {
  size_t begin = text.find(name);
  if (begin == std::string_view::npos) return {};
  begin += name.size();
  size_t end = begin;
  int depth = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '[' || c == '(' || c == '<') ++depth;
    if (c == ']' || c == ')' || c == '>') --depth;
    if (depth <= 0 && c == ',') break;
  }
  return text.substr(begin, end - begin);
}

std::string SourceOf(const std::vector<PlanOperator>& operators, const PlanOperator& one) {
  if (one.kind == "Range") {
    const std::string column = ColumnOf(operators, one);
    return column.empty() ? column : fmt::format("{} {}", one.plan->text, column);
  }
  if (!IsSourceScan(one.kind) || Contains(one.plan->name, "OneRowRelation")) return {};
  const std::string_view text = one.plan->text;
  const std::string_view location = FieldOf(text, kLocation);
  // A truncated location may be any of several.
  if (Contains(location, "...")) return WithoutColumnNumbers(text);
  if (!location.empty()) {
    return fmt::format("{} {} {}", Trim(one.plan->name), location,
                       WithoutColumnNumbers(FieldOf(text, "PartitionFilters: ")));
  }
  // The scan of an RDD, whose columns Spark numbers once: "Scan ExistingRDD[id#0]", "Scan[obj#3]".
  const bool is_unnamed = Trim(one.plan->name) == one.kind && text.substr(0, text.find('[')) == one.kind;
  if (is_unnamed || Contains(one.plan->name, "ExistingRDD")) return std::string(text);
  // "BatchScan catalog.db.sales[id#0L]", "Scan JDBCRelation(sales) [numPartitions=1]"
  const std::string_view table = text.substr(0, text.find('['));
  return std::string(one.plan->name.size() > table.size() ? std::string_view(one.plan->name) : table);
}

bool IsBelowCache(const std::vector<PlanOperator>& operators, const PlanOperator& scan) {
  for (int32_t row = scan.parent; row >= 0; row = operators[static_cast<size_t>(row)].parent)
    if (operators[static_cast<size_t>(row)].kind == "InMemoryTableScan") return true;
  return false;
}

std::string SourceText(const PlanOperator& one) {
  if (one.kind == "Range") return std::string(one.plan->text);
  const std::string_view name = Trim(one.plan->name);
  // A native engine has its own name for the operator: "CometNativeScan parquet".
  const size_t end_of_kind = name.starts_with(one.kind) ? one.kind.size() : name.find(' ');
  const std::string_view format = name.substr(std::min(name.size(), end_of_kind));
  std::string_view location = FieldOf(one.plan->text, kLocation);
  const size_t open = location.find('[');
  if (open != std::string_view::npos) location = location.substr(open + 1, location.find(']') - open - 1);
  if (Trim(format).empty() && location.empty()) return Shorten(one.plan->text, kSourceLength);
  return Shorten(fmt::format("{}{}{}", Trim(format), location.empty() ? "" : " ", location), kSourceLength);
}

bool CallsFunction(std::string_view text, const std::string& function) {
  const std::string call = function + "(";
  for (size_t at = text.find(call); at != std::string_view::npos; at = text.find(call, at + 1)) {
    if (at == 0 || !IsPartOfName(text[at - 1])) return true;
  }
  return false;
}

std::string ShortRddName(std::string_view name) {
  constexpr size_t kMostBytes = 80;
  if (const size_t last = name.rfind("+- "); last != std::string_view::npos) name.remove_prefix(last + 3);
  return Shorten(ToOneLine(name), kMostBytes);
}

std::string StorageLevelText(const CachedRdd& rdd) {
  std::string text = rdd.on_disk ? "Disk " : "";
  if (rdd.in_memory) text += rdd.off_heap ? "Memory (off heap) " : "Memory ";
  text += rdd.deserialized ? "Deserialized " : "Serialized ";
  return text + std::to_string(rdd.replication) + "x Replicated";
}

std::string ShortCallSite(std::string_view call_site) {
  if (const std::string node = DbtNodeOf(call_site); !node.empty()) return "dbt " + node;
  if (Contains(call_site, '\n')) return ShortQuery(call_site);
  constexpr std::string_view kAt = " at ";
  const size_t at = call_site.rfind(kAt);
  if (at == std::string_view::npos) return std::string(call_site);
  const size_t path = at + kAt.size();
  const size_t slash = call_site.rfind('/');
  if (slash == std::string_view::npos || slash < path) return std::string(call_site);
  return std::string(call_site.substr(0, path)) + std::string(call_site.substr(slash + 1));
}

std::string CallInWords(std::string_view call_site) {
  const std::string text = ShortCallSite(call_site);
  return IsOfProgram(text) ? text : text.substr(0, text.rfind(" at "));
}

bool IsOfProgram(std::string_view call_site) {
  constexpr std::string_view kOthers[] = {
      "FutureTask.java",
      "ThreadPoolExecutor.java",
      "NativeMethodAccessorImpl.java",
      "CompletableFuture.java",
      "Executors.java",
      "DirectMethodHandleAccessor.java",
      "AccessController.java",
      "clientserver.py",
      "java_gateway.py",
      "<unknown>",
  };
  return Contains(call_site, " at ") &&
         std::ranges::none_of(kOthers, [&](std::string_view other) { return Contains(call_site, other); });
}

std::string StepOf(const Job& job) {
  for (const std::string_view kind : {"flow", "dbt"}) {
    for (const std::string_view tag : job.tags) {
      if (!tag.starts_with(kind) || !tag.substr(kind.size()).starts_with(':')) continue;
      return fmt::format("{} {}", kind, tag.substr(kind.size() + 1));
    }
  }
  return {};
}

}  // namespace sparkprof
