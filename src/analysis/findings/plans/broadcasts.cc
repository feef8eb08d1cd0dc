// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr int64_t kSmallSide = int64_t{64} << 20;  // bytes; ten times as many are little for the driver's memory
constexpr int64_t kTimesLarger = 10;
constexpr char kBroadcastThreshold[] = "spark.sql.autoBroadcastJoinThreshold";

// The exchange below a join, through operators that neither add nor combine rows; null if there is none.
const PlanOperator* ExchangeBelow(const std::vector<PlanOperator>& operators, int32_t row) {
  for (;;) {
    const PlanOperator& one = operators[static_cast<size_t>(row)];
    if (one.kind == "Exchange") return &one;
    const bool passes = one.kind == "Sort" || one.kind == "AQEShuffleRead" || one.kind == "CustomShuffleReader";
    if (!passes || one.inputs.size() != 1) return nullptr;
    row = one.inputs.front();
  }
}

struct JoinCandidate {
  PlacedOperator join;
  JoinSides sides;  // refer to a plan's operators, which live during the search
  std::vector<int64_t> stages;
  int64_t time_ns = 0;
};

JoinCandidate WorstJoin(const FindingInput& input) {
  JoinCandidate worst;
  for (const SqlExecution& sql : input.application.sql_executions) {
    const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
    for (const PlanOperator& one : operators) {
      const JoinSides sides = SidesOfJoin(operators, one);
      if (sides.small == nullptr || sides.small_bytes > kSmallSide) continue;
      if (sides.large_bytes < kTimesLarger * std::max<int64_t>(1, sides.small_bytes)) continue;
      const int64_t time_ns = TimeOfStages(input, one.stages);
      if (time_ns <= worst.time_ns) continue;
      worst = {{&sql, one}, sides, one.stages, time_ns};
      worst.sides.small = worst.sides.large = nullptr;
    }
  }
  return worst;
}

int64_t LargeBroadcast(const PlanOperator& one) {
  const int64_t bytes = one.kind == "BroadcastExchange" ? ValueOf(*one.plan, "data size").value_or(0) : 0;
  return bytes < kLargeBroadcast ? 0 : bytes;
}

// Time to collect, build and send it, during which the join waits.
int64_t TimeOf(const PlanNode& broadcast) {
  int64_t time_ns = 0;
  for (const char* part : {"time to collect", "time to build", "time to broadcast"})
    time_ns += ValueOf(broadcast, part).value_or(0);
  return time_ns;
}

constexpr int64_t kBuildNs = 10 * kNanosPerSecond;     // maximum time from the rows of a table to its broadcast
constexpr std::string_view kUnits = "KMGT";            // powers of 1024
constexpr std::string_view kBlockTemplate = "Block ";  // "Block broadcast_1 stored as values in memory …"

struct LoggedBroadcast {
  std::string name;  // broadcast_1
  double bytes = 0;
  int64_t stored_ns = 0;
  int64_t last_piece_ns = 0;
};

LoggedBroadcast LargestBroadcast(const LogRecords& logs) {
  static const re2::RE2 of_value(
      R"(Block (broadcast_\d+) stored as values in memory \(estimated size ([\d.]+) ([KMGT])i?B)");
  LoggedBroadcast largest;
  ForEachRecord(logs, kBlockTemplate, [&](std::string_view text, int64_t time_ns) {
    std::string name, unit;
    double bytes = 0;
    if (!re2::RE2::PartialMatch(text, of_value, &name, &bytes, &unit)) return;
    for (size_t i = 0; i <= kUnits.find(unit); ++i) bytes *= 1024;
    if (bytes > largest.bytes) largest = {name, bytes, time_ns, time_ns};
  });
  const std::string piece = "Block " + largest.name + "_piece";
  ForEachRecord(logs, kBlockTemplate, [&](std::string_view text, int64_t time_ns) {
    if (Contains(text, piece)) largest.last_piece_ns = std::max(largest.last_piece_ns, time_ns);
  });
  return largest;
}

// The stage that most likely collected the rows: the last one that ended before; null if it ended long before.
const Stage* CollectingStage(const Application& application, int64_t stored_ns) {
  const Stage* last = nullptr;
  for (const Stage& stage : application.stages) {
    const bool is_before = stage.end_ns > stored_ns - kBuildNs && stage.end_ns <= stored_ns;
    if (is_before && (last == nullptr || stage.end_ns >= last->end_ns)) last = &stage;
  }
  return last;
}

}  // namespace

JoinSides SidesOfJoin(const std::vector<PlanOperator>& operators, const PlanOperator& join) {
  const std::string_view kind = join.kind;
  if (!kind.starts_with("SortMergeJoin") && !kind.starts_with("ShuffledHashJoin")) return {};
  if (join.inputs.size() != 2) return {};
  const PlanOperator* const left = ExchangeBelow(operators, join.inputs[0]);
  const PlanOperator* const right = ExchangeBelow(operators, join.inputs[1]);
  if (left == nullptr || right == nullptr) return {};
  const int64_t left_bytes = ValueOf(*left->plan, "data size").value_or(0);
  const int64_t right_bytes = ValueOf(*right->plan, "data size").value_or(0);
  if (left_bytes <= 0 || right_bytes <= 0) return {};
  const bool left_is_small = left_bytes < right_bytes;
  const auto has = [&](std::string_view type) { return Contains(join.plan->text, type); };
  if (has("FullOuter")) return {};
  const bool only_right = has("LeftOuter") || has("LeftSemi") || has("LeftAnti") || has("ExistenceJoin");
  if ((only_right && left_is_small) || (has("RightOuter") && !left_is_small)) return {};
  return left_is_small ? JoinSides{left, right, left_bytes, right_bytes}
                       : JoinSides{right, left, right_bytes, left_bytes};
}

std::optional<Finding> FindBroadcastableJoins(const FindingInput& input) {
  const JoinCandidate worst = WorstJoin(input);
  if (worst.time_ns < kWorthwhileNs) return std::nullopt;
  const Application& application = input.application;
  const std::string_view threshold = SettingOf(application, *worst.join.sql, kBroadcastThreshold).value_or("");
  Finding finding;
  finding.title = fmt::format("A join shuffles {} to join {}", FormatBytes(worst.sides.large_bytes),
                              FormatBytes(worst.sides.small_bytes));
  finding.what = fmt::format("{} shuffles and sorts both of its inputs, of which one has only {}",
                             OperatorText(worst.join), FormatBytes(worst.sides.small_bytes));
  finding.evidence = fmt::format("{:.200}; its stages take {}", worst.join.node().text, FormatDuration(worst.time_ns));
  if (!threshold.empty()) finding.evidence += fmt::format("; {}={}", kBroadcastThreshold, threshold);
  finding.condition = fmt::format(
      "A join shuffles both inputs, although one has at most {} and the other at least {} times as much, and the type "
      "of the join permits broadcasting the small one",
      FormatBytes(kSmallSide), kTimesLarger);
  PointAt(worst.join, &finding);
  const int64_t mebibytes = std::max<int64_t>(10, 2 * worst.sides.small_bytes >> 20);
  finding.change = threshold.starts_with('-')
                       ? fmt::format(
                             "Broadcast the small side: the job turns it off with {}={}. Remove that, or use "
                             "broadcast() on the small DataFrame",
                             kBroadcastThreshold, threshold)
                       : fmt::format("Broadcast the small side: broadcast() on the small DataFrame, or {}={}m",
                                     kBroadcastThreshold, mebibytes);
  // Reading, hashing and the work after the join remain.
  finding.claim = ClaimStages(input, worst.stages, worst.time_ns, kHalf);
  return finding;
}

std::optional<Finding> FindLargeBroadcasts(const FindingInput& input) {
  const std::optional<PlacedOperator> broadcast = WorstOperator(input.application, LargeBroadcast);
  if (!broadcast) return std::nullopt;
  const int64_t bytes = LargeBroadcast(broadcast->one), time_ns = TimeOf(broadcast->node());
  Finding finding;
  finding.title = fmt::format("A join broadcasts {}", FormatBytes(bytes));
  finding.what =
      fmt::format("{} has {} rows and {}, which the driver and each executor keep in memory", OperatorText(*broadcast),
                  CountText(broadcast->one.rows_out.value_or(0)), FormatBytes(bytes));
  finding.evidence = fmt::format("{} to collect, build and send it", FormatDuration(time_ns));
  finding.condition = fmt::format("A join broadcasts at least {}", FormatBytes(kLargeBroadcast));
  PointAt(*broadcast, &finding);
  finding.change =
      "Remove the broadcast hint or lower spark.sql.autoBroadcastJoinThreshold, so that the join shuffles both sides; "
      "or select fewer columns and rows of the small side before the join";
  finding.claim = ClaimStages(input, finding.stages, time_ns, kHalf);
  return finding;
}

std::optional<Finding> FindBroadcastsInLogs(const FindingInput& input) {
  if (!HasOnlyLogs(input.application)) return std::nullopt;
  const LoggedBroadcast broadcast = LargestBroadcast(input.application.logs);
  if (broadcast.bytes < static_cast<double>(kLargeBroadcast)) return std::nullopt;
  const Stage* const stage = CollectingStage(input.application, broadcast.stored_ns);
  const int64_t begin_ns = stage != nullptr && stage->submit_ns > 0 ? stage->submit_ns : broadcast.stored_ns;
  const std::string size = FormatBytes(static_cast<int64_t>(broadcast.bytes));
  Finding finding;
  finding.title = fmt::format("The driver broadcasts {}", size);
  finding.what = fmt::format("{} takes {}, which the driver and each executor keep in memory", broadcast.name, size);
  const int64_t time_ns = broadcast.last_piece_ns - begin_ns;
  finding.evidence = stage == nullptr
                         ? fmt::format("{} to divide and store it", FormatDuration(time_ns))
                         : fmt::format("{} from the begin of {}, which most likely collects it, until it was stored",
                                       FormatDuration(time_ns), StageText(input, *stage));
  finding.condition = fmt::format("By text logs alone, a broadcast takes at least {}", FormatBytes(kLargeBroadcast));
  finding.selection.event = EventName(Event::kCpu);
  if (stage != nullptr) finding.stages = {stage->id};
  finding.claim = ClaimStages(input, finding.stages, time_ns, kHalf);
  finding.change =
      "If it is the small side of a join, remove the broadcast hint or lower spark.sql.autoBroadcastJoinThreshold, or "
      "select fewer of its columns and rows before the join. If the program broadcasts a variable, send less: what the "
      "tasks do not use, and objects that NumPy or Arrow keep in fewer bytes";
  return finding;
}

}  // namespace sparkprof
