// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "analysis/findings/log_values.h"
#include "analysis/findings/plans/plan_values.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

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
    if (text.find(piece) != std::string_view::npos) largest.last_piece_ns = std::max(largest.last_piece_ns, time_ns);
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
