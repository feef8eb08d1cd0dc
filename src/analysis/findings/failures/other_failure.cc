// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/findings/advice.h"
#include "analysis/findings/failures/failure_cause.h"
#include "analysis/findings/failures/failure_report.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kFailureLineLength = 200;
constexpr size_t kExceptionInTitle = 100;
const std::string kInLog = "A failure in ";

struct FoundFailure {
  FailureReport report;
  std::string subject;  // "Query orders failed", "Job 3 failed", "A failure in driver.log:12", "A problem in …"
  std::string line;     // of the text, the one that the failure was recognized by
  std::string cause;    // "com.example.BadRow: x", of a failure that only carries another one; may be empty
};

// Whether one of the last records of a log is of an exception that ended the program.
bool EndsInException(const LogRecords& logs) {
  constexpr size_t kLast = 50;
  for (size_t row = logs.Size() - std::min(logs.Size(), kLast); row < logs.Size(); ++row) {
    const std::string_view text = logs.Text(row);
    for (const std::string_view sign :
         {"Exception in thread \"main\"", "User class threw exception", "Traceback (most recent call last)",
          "Final app status: FAILED", "User application exited with status"}) {
      if (text.find(sign) != std::string_view::npos) return true;
    }
  }
  return false;
}

// Whether the input shows that a job failed, or no work that succeeded. A warning in a log of a job that succeeded is
// not its failure.
bool MayHaveFailed(const Application& application) {
  const std::vector<Job>& jobs = application.jobs;
  const auto status_is = [](RunStatus wanted) { return [wanted](const Job& job) { return job.status == wanted; }; };
  if (std::any_of(jobs.begin(), jobs.end(), status_is(RunStatus::kFailed))) return true;
  const auto& outcomes = application.tasks.outcome;
  const bool has_success = std::any_of(jobs.begin(), jobs.end(), status_is(RunStatus::kSucceeded)) ||
                           std::find(outcomes.begin(), outcomes.end(), TaskOutcome::kSucceeded) != outcomes.end();
  return !has_success || EndsInException(application.logs);
}

// The exception that a failure carries: unknown, but closer to the cause. Empty if the text has no other one.
std::string CarriedException(const Application& application, const FailureReport& report, std::string_view text) {
  constexpr std::string_view kCarried = "most recent failure: ";
  if (NamesCause(report)) return {};
  if (const size_t at = text.find(kCarried); at != std::string_view::npos) text.remove_prefix(at + kCarried.size());
  std::string cause = CauseOfFailure(text).text;
  const std::string_view name = std::string_view(cause).substr(0, cause.find(':'));
  const bool is_exception = name.find(' ') == std::string_view::npos && name.find('.') != std::string_view::npos;
  return !is_exception || ExplainFailure(application, cause, -1) ? std::string() : cause;
}

// Keeps the text with the failure of the highest rank. Of several, keeps the first with an exception, or else the
// first.
void Consider(const Application& application, std::string_view text, const std::string& subject, int64_t time_ns,
              int32_t executor, std::optional<FoundFailure>* best) {
  std::optional<FailureReport> report = ExplainFailure(application, text, executor);
  if (!report || report->failure->rank == FailureRank::kHarmless) return;
  if (*best && report->failure->rank < (*best)->report.failure->rank) return;
  std::string cause = CarriedException(application, *report, text);
  const bool is_better = !cause.empty() && best->has_value() && (*best)->cause.empty();
  if (*best && report->failure->rank == (*best)->report.failure->rank && !is_better) return;
  report->chain = {EventOf(application, report->failure->id, time_ns, executor)};
  const std::string line = ShortenToClause(ToOneLine(LineAt(text, report->offset)), kFailureLineLength);
  *best = FoundFailure{std::move(*report), subject, line, std::move(cause)};
}

std::optional<FoundFailure> FindFailureText(const Application& application) {
  std::optional<FoundFailure> best;
  for (const StreamingQuery& query : application.streaming_queries) {
    const std::string& name = query.name.empty() ? query.id : query.name;
    Consider(application, query.failure, fmt::format("Streaming query {} failed", name), query.end_ns, -1, &best);
  }
  if (!MayHaveFailed(application)) return best;
  for (const Job& job : application.jobs)
    Consider(application, job.failure, fmt::format("Job {} failed", job.id), job.end_ns, -1, &best);
  const LogRecords& logs = application.logs;
  // Without tasks, whatever the log reports is why nothing runs: what YARN's client waits for is of level INFO.
  const bool has_tasks = application.tasks.Size() > 0;
  for (size_t row = 0; row < logs.Size(); ++row) {
    // "INFO DAGScheduler: Job 0 failed" has a stack trace, too.
    const bool has_trace = logs.Text(row).find("\n\tat ") != std::string_view::npos;
    // YARN's client reports the diagnostics of an application in lines below a record of level INFO.
    const bool has_lines = logs.Text(row).find('\n') != std::string_view::npos;
    const bool is_error = logs.level[row] == LogLevel::kNone || logs.level[row] >= LogLevel::kError;
    const bool is_searched = !has_tasks && (!application.ended || has_lines);
    if (!is_searched && !has_trace && !is_error) continue;
    const std::string place = fmt::format("{}:{}", logs.sources[logs.source[row]], logs.line[row]);
    Consider(application, logs.Text(row), kInLog + place, logs.time_ns[row], logs.executor[row], &best);
  }
  // An application that waits for the cluster did not fail.
  const bool may_wait = best && best->report.failure->holds == "cluster" && NamesCause(best->report);
  if (may_wait && best->subject.starts_with(kInLog)) best->subject.replace(0, kInLog.size(), "A problem in ");
  return best;
}

// Refusals of executors that the cluster repeats, although the work goes on with fewer of them.
std::optional<Finding> FindRefusedExecutors(const Application& application) {
  constexpr std::string_view kRefusals[] = {"k8s-quota", "k8s-unschedulable", "k8s-image-pull", "emr-capacity"};
  constexpr int64_t kOften = 3, kMostRecords = 10'000;
  const LogRecords& logs = application.logs;
  std::optional<FailureReport> report;
  std::string line;
  int64_t times = 0, searched = 0;
  for (size_t row = 0; row < logs.Size() && searched < kMostRecords; ++row) {
    if (logs.level[row] < LogLevel::kWarn) continue;
    ++searched;
    std::optional<FailureReport> one = ExplainFailure(application, logs.Text(row), -1);
    const bool is_refusal =
        one && std::find(std::begin(kRefusals), std::end(kRefusals), one->failure->id) != std::end(kRefusals);
    if (!is_refusal || (report && report->failure != one->failure)) continue;
    ++times;
    line = ShortenToClause(ToOneLine(LineAt(logs.Text(row), one->offset)), kFailureLineLength);
    one->chain = {EventOf(application, one->failure->id, logs.time_ns[row], -1)};
    report = std::move(one);
  }
  if (times < kOften) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Executors were refused {} times: {}", CountText(times), ShortMeaning(*report->failure));
  finding.risk = kRiskOfGrowth;
  finding.what = "The application has fewer executors than it asks for, and asks again and again";
  finding.evidence = fmt::format("The last one: {}", line);
  finding.condition = "At least 3 warnings of a log report that the cluster refused an executor for the same reason";
  finding.change = AdviceOf(*report);
  finding.failure = std::make_shared<const FailureReport>(std::move(*report));
  return finding;
}

}  // namespace

std::optional<Finding> FindOtherFailures(const FindingInput& input) {
  std::optional<FoundFailure> found = FindFailureText(input.application);
  if (!found) return FindRefusedExecutors(input.application);
  const Failure& failure = *found->report.failure;
  Finding finding;
  finding.title =
      fmt::format("{}: {}", found->subject,
                  found->cause.empty() ? ShortMeaning(failure) : ShortenToClause(found->cause, kExceptionInTitle));
  finding.is_failure = true;
  finding.severity = Severity::kHigh;
  finding.what = std::string(failure.means.substr(0, failure.means.size() - 1));
  finding.evidence = found->cause.empty() ? found->line : found->cause;
  finding.condition =
      "The text of a failed job or streaming query, or of an error in a log of an application without success, "
      "describes a known failure";
  finding.change = AdviceOf(found->report);
  finding.failure = std::make_shared<const FailureReport>(std::move(found->report));
  return finding;
}

}  // namespace sparkprof
