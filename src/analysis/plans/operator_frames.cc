// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/operator_frames.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/text/contains.h"
#include "engines/engines.h"

namespace sparkprof {
namespace {

using Work = OperatorWork;

constexpr std::string_view kGeneratedIterator = "GeneratedClass$GeneratedIterator";
constexpr std::string_view kForStage = "ForCodegenStage";

// Helper classes of operators by name prefix; the first match counts.
struct HelperClasses {
  std::string_view prefix;
  Work work;
};
constexpr HelperClasses kHelpers[] = {
    {"org.apache.spark.shuffle.BlockStoreShuffleReader", Work::kShuffleRead},
    {"org.apache.spark.shuffle.", Work::kShuffleWrite},
    {"org.apache.spark.util.collection.ExternalSorter", Work::kShuffleWrite},
    {"org.apache.spark.storage.ShuffleBlockFetcherIterator", Work::kShuffleRead},
    {"org.apache.spark.storage.BufferReleasingInputStream", Work::kShuffleRead},
    {"org.apache.spark.api.python.", Work::kPython},
    {"org.apache.spark.rdd.HadoopRDD", Work::kScan},
    {"org.apache.spark.rdd.NewHadoopRDD", Work::kScan},
    {"org.apache.spark.sql.execution.ShuffledRowRDD", Work::kShuffleRead},
    {"org.apache.spark.sql.execution.UnsafeRowSerializerInstance$$anon$1", Work::kShuffleWrite},
    {"org.apache.spark.sql.execution.UnsafeRowSerializerInstance$$anon$2", Work::kShuffleRead},
    {"org.apache.spark.sql.execution.UnsafeExternalRowSorter", Work::kSort},
    {"org.apache.spark.sql.execution.aggregate.", Work::kAggregate},
    {"org.apache.spark.sql.execution.columnar.", Work::kCachedScan},
    {"org.apache.spark.sql.execution.joins.HashJoin", Work::kHashJoin},
    {"org.apache.spark.sql.execution.joins.HashedRelation", Work::kHashJoin},
    {"org.apache.spark.sql.execution.joins.LongHashedRelation", Work::kHashJoin},
    {"org.apache.spark.sql.execution.joins.LongToUnsafeRowMap", Work::kHashJoin},
    {"org.apache.spark.sql.execution.joins.UnsafeHashedRelation", Work::kHashJoin},
    {"org.apache.spark.sql.execution.joins.UnsafeCartesianRDD", Work::kLoopJoin},
    {"org.apache.spark.sql.execution.joins.", Work::kMergeJoin},
    {"org.apache.spark.sql.execution.python.", Work::kPython},
    {"org.apache.spark.sql.execution.window.", Work::kWindow},
    {"org.apache.spark.sql.hive.", Work::kScan},
};
constexpr std::string_view kDataSources = "org.apache.spark.sql.execution.datasources.";

// Operators named differently from their class; kNone: classes that run code of several operators.
struct OperatorClass {
  std::string_view name;
  Work work;
};
constexpr OperatorClass kOperatorClasses[] = {
    {"AdaptiveSparkPlan", Work::kNone},
    {"BaseAggregate", Work::kAggregate},
    {"BatchScan", Work::kScan},
    {"DataSourceScan", Work::kScan},
    {"DataWritingCommand", Work::kWrite},
    {"EvalPython", Work::kPython},
    {"ExecutedCommand", Work::kWrite},
    {"FileSourceScan", Work::kScan},
    {"FileSourceScanLike", Work::kScan},
    {"InMemoryTableScan", Work::kCachedScan},
    {"InputAdapter", Work::kNone},
    {"LocalTableScan", Work::kScan},
    {"MapInBatch", Work::kPython},
    {"QueryStage", Work::kNone},
    {"RDDScan", Work::kScan},
    {"RowDataSourceScan", Work::kScan},
    {"ShuffleExchange", Work::kShuffleWrite},
    {"V2TableWrite", Work::kWrite},
    {"WholeStageCodegen", Work::kNone},
    {"WriteToDataSourceV2", Work::kWrite},
};

constexpr std::string_view kClassEnds[] = {"PartitionEvaluatorFactory", "EvaluatorFactory", "PartitionEvaluator",
                                           "Exec"};

struct TimedMethod {
  std::string_view name;
  TimedWork timed;
};
constexpr TimedMethod kTimedMethods[] = {
    {"org.apache.spark.util.collection.unsafe.sort.UnsafeInMemorySorter.getSortedIterator", TimedWork::kSort},
    {"org.apache.spark.sql.execution.aggregate.TungstenAggregationIterator.<init>", TimedWork::kAggregate},
    {"org.apache.spark.sql.execution.aggregate.ObjectAggregationIterator.<init>", TimedWork::kAggregate},
    {"org.apache.spark.sql.execution.joins.ShuffledHashJoinExec.buildHashedRelation", TimedWork::kBuild},
    {"org.apache.spark.sql.execution.joins.HashedRelationBroadcastMode.transform", TimedWork::kBuild},
    {"org.apache.spark.sql.execution.datasources.FileScanRDD$$anon$1.hasNext", TimedWork::kScan},
};

struct TimedMetric {
  TimedWork timed;
  std::string_view metric;
};
constexpr TimedMetric kTimedMetrics[] = {
    {TimedWork::kSort, "sort time"},
    {TimedWork::kAggregate, "time in aggregation build"},
    {TimedWork::kAggregate, "aggregate time"},  // up to Spark 2.4
    {TimedWork::kBuild, "time to build hash map"},
    {TimedWork::kBuild, "time to build"},
    {TimedWork::kScan, "scan time"},
};

bool Has(std::string_view text, std::string_view part) { return Contains(text, part); }

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

int32_t Number(std::string_view text) {
  int32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// `rest`: "ForCodegenStage3.hashAgg_doConsume_0", or without the stage.
OperatorFrame ReadGenerated(std::string_view rest) {
  OperatorFrame frame{.work = Work::kGenerated};
  if (rest.starts_with(kForStage)) {
    rest.remove_prefix(kForStage.size());
    frame.codegen = Number(rest);
    rest.remove_prefix(std::min(rest.find_first_not_of("0123456789"), rest.size()));
  }
  if (rest.empty()) return frame;
  const std::string_view method = rest.substr(1, rest.find_first_of(".$", 1) - 1);
  const size_t first = method.find('_');
  const size_t last = method.rfind('_');
  if (first == std::string_view::npos || method.starts_with("wholestagecodegen_")) return frame;
  frame.name = method.substr(0, first);
  if (last + 1 < method.size() && std::isdigit(static_cast<unsigned char>(method[last + 1]))) {
    frame.number = Number(method.substr(last + 1));
  }
  frame.consumes = Has(method, "_doConsume");
  if (Has(method, "_doAggregateWith")) frame.timed = TimedWork::kAggregate;
  return frame;
}

// Returns "SortExec" for "org.apache.spark.sql.execution.SortExec$$anon$1.next".
std::string_view SimpleClass(std::string_view name) {
  size_t begin = 0;
  for (;;) {
    const size_t dot = name.find('.', begin);
    if (dot == std::string_view::npos) return {};
    if (std::isupper(static_cast<unsigned char>(name[begin]))) return name.substr(begin, dot - begin);
    begin = dot + 1;
    if (begin == name.size()) return {};
  }
}

bool ReadOperatorClass(std::string_view name, OperatorFrame* frame) {
  std::string_view simple = SimpleClass(name);
  simple = simple.substr(0, simple.find('$'));
  const auto* const end =
      std::ranges::find_if(kClassEnds, [&](std::string_view each) { return simple.ends_with(each); });
  if (end == std::end(kClassEnds)) return false;
  simple.remove_suffix(end->size());
  const auto* const known =
      std::ranges::find_if(kOperatorClasses, [&](const OperatorClass& each) { return each.name == simple; });
  frame->work = known == std::end(kOperatorClasses) ? Work::kNamed : known->work;
  frame->name = simple;
  return true;
}

Work WorkOfHelper(std::string_view name) {
  if (name.starts_with(kDataSources)) {
    const std::string_view simple = SimpleClass(name);
    return Has(simple, "Writ") ? Work::kWrite : Work::kScan;  // ParquetOutputWriter, DataWritingSparkTask
  }
  const auto* const found =
      std::ranges::find_if(kHelpers, [&](const HelperClasses& each) { return name.starts_with(each.prefix); });
  return found == std::end(kHelpers) ? Work::kNone : found->work;
}

// Whether its generated methods have this prefix, from CodegenSupport.variablePrefix of Spark 2.x to 4.x.
bool HasPrefix(const PlanOperator& one, std::string_view prefix) {
  if (one.kind == "HashAggregate") return prefix == "hashAgg" || prefix == "agg";
  if (one.kind == "SortAggregate") return prefix == "sortAgg" || prefix == "agg";
  if (one.kind == "BroadcastHashJoin") return prefix == "bhj";
  if (one.kind == "ShuffledHashJoin") return prefix == "shj";
  if (one.kind == "SortMergeJoin") return prefix == "smj";
  if (one.kind == "BroadcastNestedLoopJoin") return prefix == "bnlj";
  if (one.kind == "InMemoryTableScan") return prefix == "memoryScan" || EqualsIgnoringCase(one.kind, prefix);
  if (one.kind == "Scan") return prefix == "scan" || prefix == "rdd";
  return EqualsIgnoringCase(one.kind, prefix);
}

}  // namespace

OperatorFrame ReadOperatorFrame(std::string_view name, FrameKind kind) {
  OperatorFrame frame;
  if (kind == FrameKind::kPython) {
    frame.work = Work::kPythonFunction;
    frame.name = name.substr(name.rfind('.') + 1);
    return frame;
  }
  if (kind == FrameKind::kNative && IsOperatorFrame(name)) return {.work = Work::kNamed, .name = name};
  if (kind == FrameKind::kSynthetic || !name.starts_with("org.apache.spark.")) return frame;
  if (const size_t generated = name.find(kGeneratedIterator); generated != std::string_view::npos) {
    return ReadGenerated(name.substr(generated + kGeneratedIterator.size()));
  }
  if (!ReadOperatorClass(name, &frame)) frame.work = WorkOfHelper(name);
  frame.feeds_python = Has(name, "PythonRunner") &&
                       (Has(name, "Writer") || Has(name, ".writeNext") || Has(name, ".writeIteratorToStream"));
  for (const TimedMethod& method : kTimedMethods) {
    if (name == method.name) frame.timed = method.timed;
  }
  return frame;
}

bool CanBe(const PlanOperator& one, const OperatorFrame& frame) {
  const std::string_view kind = one.kind;
  switch (frame.work) {
    case Work::kNone:
    case Work::kPythonFunction:
      return false;
    case Work::kGenerated:
      return HasPrefix(one, frame.name);
    case Work::kNamed:
      return kind == frame.name || IsFrameOfOperator(frame.name, one.plan->name);
    case Work::kShuffleWrite:
      return kind == "Exchange";
    case Work::kShuffleRead:
      return kind == "Exchange" || kind == "ReusedExchange";
    case Work::kScan:
      return kind.ends_with("Scan") && kind != "InMemoryTableScan";
    case Work::kCachedScan:
      return kind == "InMemoryTableScan";
    case Work::kWrite:
      return IsWrite(kind);
    case Work::kSort:
      return kind == "Sort";
    case Work::kAggregate:
      return kind.ends_with("Aggregate");
    case Work::kHashJoin:
      return kind == "BroadcastHashJoin" || kind == "ShuffledHashJoin";
    case Work::kMergeJoin:
      return kind == "SortMergeJoin";
    case Work::kLoopJoin:
      return kind == "BroadcastNestedLoopJoin" || kind == "CartesianProduct";
    case Work::kWindow:
      return kind.starts_with("Window");
    case Work::kPython:
      return IsPythonOperator(kind);
  }
  return false;
}

std::string_view MetricName(const PlanNode& node, TimedWork timed) {
  for (const TimedMetric& known : kTimedMetrics) {
    if (known.timed == timed && ValueOf(node, known.metric)) return known.metric;
  }
  return {};
}

std::optional<int64_t> ValueOf(const PlanNode& node, TimedWork timed) { return ValueOf(node, MetricName(node, timed)); }

}  // namespace sparkprof
