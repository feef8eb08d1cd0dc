// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/findings/advice.h"
#include "analysis/findings/failures/failure_cause.h"
#include "analysis/findings/failures/failure_report.h"
#include "analysis/findings/rules.h"
#include "analysis/plans/plan_text.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kFailureInTitle = 100;     // characters
constexpr size_t kFailureInEvidence = 300;  // characters

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Canceled by the user or by the end of the program.
bool IsCancelled(std::string_view failure) {
  return Has(failure, "ancelled") || Has(failure, "CANCELLED") || Has(failure, "nterrupted") ||
         Has(failure, "SparkContext was shut down") || Has(failure, "stopped SparkContext");
}

// True if a stage of the query failed, which has its own finding. A cancelled stage failed after the query.
bool HasFailedStage(const Application& application, const SqlExecution& sql) {
  return std::any_of(application.stages.begin(), application.stages.end(), [&](const Stage& stage) {
    return stage.sql_execution == sql.id && stage.status == RunStatus::kFailed && !IsCancelled(stage.failure);
  });
}

bool FailedByItself(const Application& application, const SqlExecution& sql) {
  return sql.status == RunStatus::kFailed && !sql.failure.empty() && !IsCancelled(sql.failure) &&
         !HasFailedStage(application, sql);
}

}  // namespace

std::optional<Finding> FindFailedQueries(const FindingInput& input) {
  const Application& application = input.application;
  // Users at a prompt see the error.
  if (IsInteractive(application)) return std::nullopt;
  const SqlExecution* last = nullptr;
  int64_t count = 0, time_ns = 0;
  for (const SqlExecution& sql : application.sql_executions) {
    if (!FailedByItself(application, sql)) continue;
    ++count;
    last = &sql;
    if (sql.start_ns > 0 && sql.end_ns > sql.start_ns) time_ns += sql.end_ns - sql.start_ns;
  }
  if (last == nullptr) return std::nullopt;
  std::optional<FailureReport> report = ExplainFailure(application, last->failure, -1);
  // Excludes the stack trace; of a wrapper, names what it carries.
  const std::string failure = report && !NamesCause(*report)
                                  ? CauseOfFailure(last->failure).text
                                  : ToOneLine(last->failure.substr(0, last->failure.find('\n')));
  Finding finding;
  finding.title = fmt::format("Query {} failed: {}", last->id, ShortenToClause(failure, kFailureInTitle));
  finding.is_failure = true;
  finding.severity = Severity::kHigh;
  finding.what = fmt::format("Query {}{} failed outside its tasks{}", last->id,
                             last->description.empty() ? "" : fmt::format(" ({})", ShortCallSite(last->description)),
                             count > 1 ? fmt::format(", as did {} of the queries before it", count - 1) : "");
  if (time_ns > 0) finding.evidence = fmt::format("{} of failed queries; ", FormatDuration(time_ns));
  finding.evidence += "its message: " + ShortenToClause(failure, kFailureInEvidence);
  finding.condition = "A query of a program fails, none of its stages does, and nobody cancelled it";
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.sql = last->id;
  if (report) {
    report->chain = {EventOf(application, report->failure->id, last->end_ns, -1)};
    if (!NamesCause(*report)) report->chain.front().text = failure;
  }
  finding.change =
      report && NamesCause(*report)
          ? AdviceOf(*report)
          : "Correct the query, or the data or settings that the message names. The driver's log has the whole stack";
  if (report) finding.failure = std::make_shared<const FailureReport>(std::move(*report));
  finding.claim = ClaimWall(time_ns, kHalf);
  return finding;
}

}  // namespace sparkprof
