// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/call_site.h"
#include "analysis/findings/plan_walk.h"
#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kLargeBroadcast = int64_t{100} << 20;  // bytes; ten times Spark's default threshold

struct Broadcast {
  const SqlExecution* sql = nullptr;
  int64_t bytes = 0;
  int64_t rows = 0;
  int64_t time_ns = 0;  // to collect, build and send it, during which the join waits
};

Broadcast LargestBroadcast(const Application& application) {
  Broadcast largest;
  for (const SqlExecution& sql : application.sql_executions) {
    ForEachNode(sql.plan, [&](const PlanNode& node) {
      const int64_t bytes = MetricOf(node, "data size").value_or(0);
      if (!node.name.starts_with("BroadcastExchange") || bytes < kLargeBroadcast || bytes <= largest.bytes) return;
      largest = {&sql, bytes, MetricOf(node, "number of output rows").value_or(0), 0};
      for (const char* part : {"time to collect", "time to build", "time to broadcast"})
        largest.time_ns += MetricOf(node, part).value_or(0);
    });
  }
  return largest;
}

}  // namespace

std::optional<Finding> FindLargeBroadcasts(const FindingInput& input) {
  const Broadcast largest = LargestBroadcast(input.application);
  if (largest.sql == nullptr) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("A join broadcasts {}", FormatBytes(largest.bytes));
  finding.confidence = 0.8;
  finding.what = fmt::format(
      "A broadcast of SQL execution {} ({}) has {} rows and {}, which the driver and each executor "
      "keep in memory",
      largest.sql->id, ShortCallSite(largest.sql->description), largest.rows, FormatBytes(largest.bytes));
  finding.evidence = fmt::format("{} to collect, build and send it", FormatDuration(largest.time_ns));
  finding.condition = fmt::format("A join broadcasts at least {}", FormatBytes(kLargeBroadcast));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.sql = largest.sql->id;
  if (!largest.sql->description.empty()) finding.frames = {ShortCallSite(largest.sql->description)};
  finding.change =
      "Remove the broadcast hint or lower spark.sql.autoBroadcastJoinThreshold, so that the join shuffles both sides; "
      "or "
      "select fewer columns and rows of the small side before the join";
  finding.gain_ns = largest.time_ns;
  finding.gain_low = 0.2;
  finding.gain_high = 1;
  finding.severity = SeverityOf(finding.gain_ns, input.duration_ns);
  return finding;
}

}  // namespace sparkprof
