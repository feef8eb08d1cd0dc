// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/plans/plan_values.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

// The size of a large broadcast; 0 for others.
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

}  // namespace

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
      "or "
      "select fewer columns and rows of the small side before the join";
  finding.claim = ClaimStages(input, finding.stages, time_ns, kHalf);
  return finding;
}

}  // namespace sparkprof
