// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/failures/failure_cause.h"
#include "analysis/findings/failures/failure_report.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/known_parts.h"
#include "analysis/selection/spark_settings.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr double kManyFailed = 0.1;  // share of a stage's tasks; fewer failures count only by their time
constexpr size_t kMaxNamedFailures = 20;
constexpr size_t kCauseInTitle = 100;  // characters
constexpr std::string_view kAborted = "Job aborted due to stage failure";

struct FailedTasks {
  std::vector<uint32_t> tasks;  // rows
  int64_t time_ns = 0;
  FailureCause cause;      // the most frequent cause
  uint32_t with_task = 0;  // row of the first task with this cause
  size_t with_cause = 0;
};

// True if the executor or the network caused the failure, not the task's code.
bool IsOfCluster(const FailureCause& cause, const std::optional<FailureReport>& report) {
  if (!report) return cause.text.empty();
  constexpr std::string_view kCluster[] = {"cluster", "network", "heap", "container", "execution-memory", "driver"};
  return std::find(std::begin(kCluster), std::end(kCluster), report->failure->holds) != std::end(kCluster);
}

// True if the user or the program ended it on purpose: a stopped streaming query, canceled jobs.
bool IsCancelled(const Application& application, const Stage& stage) {
  if (NamesCancellation(application, stage.failure)) return true;
  return std::any_of(application.jobs.begin(), application.jobs.end(), [&](const Job& job) {
    return job.id == stage.job && NamesCancellation(application, job.failure);
  });
}

// True if the stage's failure failed its job: Spark repeats a stage whose input was lost. Without jobs, every failure
// counts.
bool FailedForGood(const Application& application, const Stage& stage) {
  if (stage.status != RunStatus::kFailed) return false;
  const auto job = std::find_if(application.jobs.begin(), application.jobs.end(),
                                [&](const Job& one) { return one.id == stage.job; });
  return job == application.jobs.end() || job->status != RunStatus::kSucceeded;
}

// True if Spark ended the stage for a reason of its own, such as a task that is too large to send: tasks that fail then
// are an effect.
bool WasEndedBySpark(const Stage& stage, const FailureReport& report) {
  return NamesCause(report) && stage.failure.starts_with(kAborted) &&
         stage.failure.find("ost recent failure") == std::string::npos;
}

FailedTasks FailedTasksOf(const Application& application, const StageSummary& stage) {
  const Tasks& tasks = application.tasks;
  FailedTasks failures;
  std::map<StringId, FailureCause> cause_of_reason;
  std::map<std::string, size_t> causes;
  for (const uint32_t task : stage.tasks) {
    if (tasks.outcome[task] != TaskOutcome::kFailed) continue;
    failures.tasks.push_back(task);
    failures.time_ns += std::max<int64_t>(0, tasks.finish_ns[task] - tasks.launch_ns[task]);
    const auto [cause, is_new] = cause_of_reason.try_emplace(tasks.reason[task]);
    if (is_new) cause->second = CauseOfFailure(application.profile.strings.Get(tasks.reason[task]));
    const size_t count = ++causes[cause->second.text];
    if (cause->second.text.empty() || count <= failures.with_cause) continue;
    failures.with_cause = count;
    failures.cause = cause->second;
    failures.with_task = task;
  }
  return failures;
}

// True if the logs show only failures, as at level WARN: no started or successful task.
bool AreSuccessesUnknown(const Application& application) {
  const Tasks& tasks = application.tasks;
  for (size_t task = 0; task < tasks.Size(); ++task) {
    if (tasks.outcome[task] != TaskOutcome::kFailed || tasks.launch_ns[task] < tasks.finish_ns[task]) return false;
  }
  return HasOnlyLogs(application);
}

// Removes executors, ports and values, which differ between failures with one cause.
std::string WithoutNumbers(std::string_view text) {
  std::string without;
  for (const char c : text) {
    if (c < '0' || c > '9') without += c;
  }
  return without;
}

// True if a single task failure ends the job: local mode without a number of failures in its master ("local[4,2]").
bool FailsAtOnce(const Application& application) {
  return IsLocal(application) && application.master.find(',') == std::string::npos;
}

// True if the exception is about files, the network or a service, so that changes of code or data do not help.
bool IsOfInfrastructure(std::string_view cause) {
  constexpr std::string_view kPackages[] = {"java.io.IOException",
                                            "java.io.InterruptedIOException",
                                            "java.net.",
                                            "java.nio.channels.",
                                            "java.nio.file.",
                                            "java.util.concurrent.TimeoutException",
                                            "javax.net.",
                                            "io.netty.",
                                            "org.apache.hadoop.hdfs.",
                                            "org.apache.hadoop.ipc.",
                                            "org.apache.hadoop.net.",
                                            "org.apache.hadoop.security.",
                                            "org.apache.http.",
                                            "org.apache.kafka.",
                                            "org.apache.thrift.transport.",
                                            "com.amazonaws.",
                                            "software.amazon.awssdk."};
  return std::any_of(std::begin(kPackages), std::end(kPackages),
                     [&](std::string_view package) { return cause.starts_with(package); });
}

std::string ChangeForFailure(const Application& application, const FailureCause& cause,
                             const std::optional<FailureReport>& report) {
  if (report && (NamesCause(*report) || report->failure->holds == "cluster")) return AdviceOf(*report);
  return fmt::format(
      "{}. {}",
      IsOfInfrastructure(cause.text) ? "Correct what the error names: it is of files, the network or a service"
                                     : "Correct the code or the data that raises the error",
      FailsAtOnce(application) ? "In local mode, the first task that fails ends its job"
                               : "Spark ends the job once one task has failed spark.task.maxFailures times");
}

// Executors on which all failed tasks of the stage ran and no task succeeded; empty if tasks failed elsewhere, too, or
// none succeeded.
std::vector<std::string> BadExecutors(const Application& application, const StageSummary& stage) {
  const Tasks& tasks = application.tasks;
  std::set<int32_t> bad, good;
  for (const uint32_t task : stage.tasks) {
    if (tasks.executor[task] < 0) continue;
    if (tasks.outcome[task] == TaskOutcome::kFailed) bad.insert(tasks.executor[task]);
    if (tasks.outcome[task] == TaskOutcome::kSucceeded) good.insert(tasks.executor[task]);
  }
  std::vector<std::string> names;
  for (const int32_t executor : bad) {
    if (good.contains(executor)) return {};
    names.push_back(application.executors[static_cast<size_t>(executor)].id);
  }
  return good.empty() ? std::vector<std::string>() : names;
}

}  // namespace

std::optional<Finding> FindFailedWork(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const Application& application = input.application;
  const FailedTasks failures = FailedTasksOf(application, summary);
  const bool failed = FailedForGood(application, stage);
  if (failures.tasks.empty() && !failed) return std::nullopt;
  if (IsCancelled(application, stage)) return std::nullopt;
  // An executor's log has only its own tasks.
  const bool is_of_executors = HasOnlyLogs(application) && !PartsKnownOf(application).jobs;
  const bool lacks_tasks = is_of_executors || input.LacksTasks(static_cast<size_t>(&stage - application.stages.data()));
  const auto known = static_cast<int64_t>(summary.tasks.size());
  const double share =
      Share(static_cast<int64_t>(failures.tasks.size()), lacks_tasks ? std::max(known, stage.task_count) : known);
  if (!failed && share < kManyFailed && failures.time_ns < kWorthwhileNs) return std::nullopt;
  const bool is_least = !failed && (lacks_tasks || AreSuccessesUnknown(application));
  const std::string attempts = Counted(static_cast<int64_t>(failures.tasks.size()), "task attempt");
  // Successful retries are not failures.
  const std::string_view again = stage.status == RunStatus::kSucceeded ? " and ran again" : "";
  Finding finding;
  finding.title = failed ? fmt::format("Stage {} failed", stage.id)
                  : is_least
                      ? fmt::format("Stage {}: at least {} failed{}", stage.id, attempts, again)
                      : fmt::format("Stage {}: {} of task attempts failed{}", stage.id, FormatShare(share), again);
  finding.is_failure = failed;
  finding.what = lacks_tasks
                     ? fmt::format("{} of {} failed; the logs lack other tasks", attempts, StageText(input, stage))
                 : is_least ? fmt::format("at least {} of {} failed; the logs do not show which succeeded", attempts,
                                          StageText(input, stage))
                            : fmt::format("{} of {} tasks of {} failed", failures.tasks.size(), summary.tasks.size(),
                                          StageText(input, stage));
  finding.evidence =
      failures.time_ns == 0
          ? (is_least ? "the time of the attempts is unknown" : "the task time lost is unknown")
          : fmt::format("{}{} of task time lost", is_least ? "at least " : "", FormatDuration(failures.time_ns));
  FailureCause cause = failures.cause;
  const Tasks& tasks = application.tasks;
  std::optional<FailureReport> report;
  if (!cause.text.empty()) {
    const uint32_t task = failures.with_task;
    report =
        ExplainFailure(application, application.profile.strings.Get(tasks.reason[task]), tasks.executor[task], &stage);
    if (report) {
      report->chain = {
          EventOf(application, report->failure->id, tasks.finish_ns[task], tasks.executor[task], tasks.id[task])};
    }
  }
  // Errors of tasks that still run at this time are caused by the end of the program, unless memory ran out.
  const bool is_shut_down =
      stage.failure.find("SparkContext was shut down") != std::string::npos && !IsOfCluster(cause, report);
  std::optional<FailureReport> by_stage =
      failed ? ExplainFailure(application, stage.failure, -1, &stage) : std::optional<FailureReport>();
  const bool has_other_cause =
      by_stage && WasEndedBySpark(stage, *by_stage) && !(report && report->failure == by_stage->failure);
  if (failed && (cause.text.empty() || is_shut_down || has_other_cause)) {
    cause = CauseOfFailure(stage.failure);
    report = std::move(by_stage);
    if (report) report->chain = {EventOf(application, report->failure->id, stage.end_ns, -1)};
  }
  // The exception of a decisive failure misleads, and a class alone says little.
  const bool is_explained =
      report && NamesCause(*report) &&
      (report->failure->rank == FailureRank::kDecisive || cause.text.find(' ') == std::string::npos);
  if (is_explained) {
    finding.title += ": " + ShortMeaning(*report, kWholeTitleLength);
  } else if (!cause.text.empty()) {
    finding.title += ": " + ShortenToClause(cause.text, kCauseInTitle);
  }
  if (!failures.cause.text.empty()) {
    if (is_shut_down) finding.evidence += fmt::format("; {}", cause.text);
    const auto with_cause = static_cast<int64_t>(failures.with_cause);
    finding.evidence += fmt::format("; {} failed with {}", Counted(with_cause, "task"), failures.cause.text);
  } else if (!cause.text.empty()) {
    finding.evidence += fmt::format("; {}", cause.text);
  }
  if (!cause.line.empty()) finding.frames = {cause.line};
  finding.cause = WithoutNumbers(cause.text);
  finding.condition = fmt::format("A stage fails, at least {} of its tasks fail, or failed tasks cost at least {}",
                                  FormatShare(kManyFailed), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kCpu);
  for (size_t i = 0; i < std::min(failures.tasks.size(), kMaxNamedFailures); ++i) {
    finding.selection.tasks.push_back(application.tasks.id[failures.tasks[i]]);
  }
  finding.change = ChangeForFailure(application, cause, report);
  const std::vector<std::string> bad = BadExecutors(application, summary);
  if (failures.tasks.size() > 1 && !bad.empty() && !IsOfCluster(cause, report)) {
    const auto named_end = bad.begin() + static_cast<ptrdiff_t>(std::min(bad.size(), kMaxNamedFailures));
    finding.evidence +=
        fmt::format("; all on executor{} {}{}, where no task of the stage succeeded", bad.size() == 1 ? "" : "s",
                    fmt::join(bad.begin(), named_end, ", "), named_end == bad.end() ? "" : ", …");
    finding.change =
        "Check these executors and their hosts first: on others, tasks of the stage succeeded. " + finding.change;
  }
  finding.claim = ClaimTasks(input, summary, failures.time_ns, kWhole, AccountPart::kLostWork);
  finding.severity = Severity::kHigh;
  finding.risk = kRiskOfGrowth;
  const bool names_cause = report && NamesCause(*report);
  if (names_cause) finding.what += fmt::format(". {}", MeaningOf(*report));
  if (failed && !names_cause) {
    // Without a known cause, reports only the failure and its exception.
    if (!report) report = ExplainFailure(application, kAborted, -1, &stage);
    if (report->chain.empty()) report->chain = {EventOf(application, report->failure->id, stage.end_ns, -1)};
    if (!cause.text.empty()) report->chain.front().text = cause.text;
  }
  if (names_cause || failed) finding.failure = std::make_shared<const FailureReport>(std::move(*report));
  return finding;
}

}  // namespace sparkprof
