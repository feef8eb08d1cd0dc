// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/call_site.h"
#include "analysis/findings/plan_walk.h"
#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyTimes = 10;        // rows out for each row in
constexpr int64_t kManyRows = 1'000'000;  // out
constexpr char kRowsOut[] = "number of output rows";

bool IsJoin(const PlanNode& node) {
  return node.name.find("Join") != std::string::npos || node.name.starts_with("CartesianProduct");
}

// Rows that a subtree returns: of its topmost node with a count, added up over branches.
int64_t RowsOut(const PlanNode& node) {
  for (const char* name : {kRowsOut, "records read", "shuffle records written"}) {
    if (const auto rows = MetricOf(node, name)) return *rows;
  }
  int64_t rows = 0;
  for (const PlanNode& child : node.children) rows += RowsOut(child);
  return rows;
}

struct Explosion {
  const SqlExecution* sql = nullptr;
  const PlanNode* join = nullptr;
  int64_t rows_in = 0;
  int64_t rows_out = 0;
};

// The join that adds the most rows.
Explosion WorstJoin(const Application& application) {
  Explosion worst;
  for (const SqlExecution& sql : application.sql_executions) {
    ForEachNode(sql.plan, [&](const PlanNode& node) {
      if (!IsJoin(node)) return;
      const int64_t out = MetricOf(node, kRowsOut).value_or(0);
      int64_t in = 0;
      for (const PlanNode& child : node.children) in += RowsOut(child);
      if (out < kManyRows || in == 0 || out / kManyTimes < in) return;
      if (out - in > worst.rows_out - worst.rows_in) worst = {&sql, &node, in, out};
    });
  }
  return worst;
}

}  // namespace

std::optional<Finding> FindExplodingJoins(const FindingInput& input) {
  const Explosion worst = WorstJoin(input.application);
  if (worst.join == nullptr) return std::nullopt;
  const double times = static_cast<double>(worst.rows_out) / static_cast<double>(worst.rows_in);
  const int64_t time_ns = TimeOfStages(input, worst.join->stages);
  Finding finding;
  finding.title = fmt::format("A join returns {:.0f} times the rows it reads", times);
  finding.confidence = 0.9;
  finding.what = fmt::format("{} of SQL execution {} ({}) reads {} rows and returns {}", worst.join->name,
                             worst.sql->id, ShortCallSite(worst.sql->description), worst.rows_in, worst.rows_out);
  finding.evidence = fmt::format("{:.200}", worst.join->text);
  if (time_ns > 0) finding.evidence += fmt::format("; its stages take {}", FormatDuration(time_ns));
  finding.condition = fmt::format("A join returns at least {} times the rows of its inputs, and at least {} rows",
                                  kManyTimes, kManyRows);
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.sql = worst.sql->id;
  finding.stages = worst.join->stages;
  if (!worst.sql->description.empty()) finding.frames = {ShortCallSite(worst.sql->description)};
  finding.change =
      "Join by all columns of the key, remove duplicate keys of one side first, or aggregate before the join. Check "
      "the query for a missing join condition";
  finding.gain_ns = static_cast<int64_t>(static_cast<double>(time_ns) * (1 - 1 / times));
  finding.gain_high = 1.1;
  finding.severity = std::max(Severity::kMedium, SeverityOf(finding.gain_ns, input.duration_ns));
  return finding;
}

}  // namespace sparkprof
