// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/failure_cause.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/spark_settings.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kManyFailed = 0.1;  // of a stage's tasks; fewer count when their time does
constexpr size_t kMaxNamedFailures = 20;
constexpr size_t kCauseInTitle = 100;  // characters

struct Failures {
  std::vector<uint32_t> tasks;  // rows
  int64_t time_ns = 0;
  FailureCause cause;  // the most frequent
  size_t with_cause = 0;
};

// Whether the cause is an executor or the network, and not the task's code.
bool IsOfCluster(std::string_view cause) {
  return cause.empty() || cause.find("FetchFailed") != std::string_view::npos ||
         cause.find("ExecutorLost") != std::string_view::npos || cause.find("ResultLost") != std::string_view::npos ||
         cause.find("OutOfMemoryError") != std::string_view::npos;
}

// Whether the user or the program ended it on purpose: a streaming query that stops, cancelled jobs.
bool IsCancelled(const Application& application, const Stage& stage) {
  // A stream has no end of its own: its program stops it.
  const bool is_stream = !application.streaming_queries.empty();
  const auto is = [&](std::string_view text) {
    const bool by_name = text.find("ancelled") != text.npos || text.find("JOB_CANCELLED") != text.npos;
    return by_name && (is_stream || text.find("SparkContext was shut down") == text.npos);
  };
  if (is(stage.failure)) return true;
  return std::any_of(application.jobs.begin(), application.jobs.end(),
                     [&](const Job& job) { return job.id == stage.job && is(job.failure); });
}

// Whether the stage's failure is one of its job: Spark repeats a stage whose input was lost. Without jobs it counts.
bool FailedForGood(const Application& application, const Stage& stage) {
  if (stage.status != RunStatus::kFailed) return false;
  const auto job = std::find_if(application.jobs.begin(), application.jobs.end(),
                                [&](const Job& one) { return one.id == stage.job; });
  return job == application.jobs.end() || job->status != RunStatus::kSucceeded;
}

Failures FailuresOf(const Application& application, const StageSummary& stage) {
  const Tasks& tasks = application.tasks;
  Failures failures;
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
  }
  return failures;
}

// Whether logs of level WARN show failures alone: no task that succeeded, and none that started.
bool AreSuccessesUnknown(const Application& application) {
  const Tasks& tasks = application.tasks;
  for (size_t task = 0; task < tasks.Size(); ++task) {
    if (tasks.outcome[task] != TaskOutcome::kFailed || tasks.launch_ns[task] < tasks.finish_ns[task]) return false;
  }
  return HasOnlyLogs(application);
}

// Executors, ports and values differ where the cause is the same.
std::string WithoutNumbers(std::string_view text) {
  std::string without;
  for (const char c : text) {
    if (c < '0' || c > '9') without += c;
  }
  return without;
}

// Whether one failure of a task ends its job: in local mode, unless its master has a number of failures: "local[4,2]".
bool FailsAtOnce(const Application& application) {
  return IsLocal(application) && application.master.find(',') == std::string::npos;
}

std::string ChangeForFailure(const Application& application, std::string_view cause) {
  if (cause.find("SparkContext was shut down") != std::string_view::npos) {
    return "The driver's JVM or its program ended while the stage ran. Check the last lines of its log: exit codes 52 "
           "and 137 indicate too little memory (spark.driver.memory, spark.driver.memoryOverhead)";
  }
  if (cause.find("Python worker exited") != std::string_view::npos) {
    return "The worker was killed, usually because a container or the host was out of memory, or crashed in native "
           "code. For memory, check the kernel's log, keep fewer rows in Python, and increase "
           "spark.executor.memoryOverhead. For crashes, set spark.python.worker.faulthandler.enabled=true to get the "
           "stack";
  }
  if (IsOfCluster(cause)) {
    return "Check the errors in the executor's log at that time. Lost executors and exit code 137 usually indicate too "
           "little memory (spark.executor.memoryOverhead); FetchFailed indicates a lost executor, or a busy disk or "
           "network";
  }
  if (cause.find("is not a Parquet file") != std::string_view::npos)
    return "Read the files in their own format, or remove those of other formats from the folder";
  return fmt::format("Correct the code or the data that raises the error. {}",
                     FailsAtOnce(application)
                         ? "In local mode, the first task that fails ends its job"
                         : "Spark ends the job once one task has failed spark.task.maxFailures times");
}

// The executors on which all of the stage's failed tasks ran, and none succeeded; empty if others failed tasks, too, or
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
  const Failures failures = FailuresOf(application, summary);
  const bool failed = FailedForGood(application, stage);
  if (failures.tasks.empty() && !failed) return std::nullopt;
  if (IsCancelled(application, stage)) return std::nullopt;
  const double share = Share(static_cast<int64_t>(failures.tasks.size()), static_cast<int64_t>(summary.tasks.size()));
  if (!failed && share < kManyFailed && failures.time_ns < kWorthwhileNs) return std::nullopt;
  const bool is_least = !failed && AreSuccessesUnknown(application);
  const std::string attempts = Counted(static_cast<int64_t>(failures.tasks.size()), "task attempt");
  Finding finding;
  finding.title = failed     ? fmt::format("Stage {} failed", stage.id)
                  : is_least ? fmt::format("Stage {}: at least {} failed", stage.id, attempts)
                             : fmt::format("Stage {}: {} of task attempts failed", stage.id, FormatShare(share));
  finding.is_failure = failed;
  finding.what =
      is_least
          ? fmt::format("{} of {} failed; the logs do not show which succeeded", attempts, StageText(stage))
          : fmt::format("{} of {} tasks of {} failed", failures.tasks.size(), summary.tasks.size(), StageText(stage));
  finding.evidence = is_least ? "the time of the attempts is unknown"
                              : fmt::format("{} of task time lost", FormatDuration(failures.time_ns));
  FailureCause cause = failures.cause;
  // Errors of tasks that still run then are of the end of the program, unless a lack of memory ended it.
  const bool is_shut_down =
      stage.failure.find("SparkContext was shut down") != std::string::npos && !IsOfCluster(cause.text);
  if (failed && (cause.text.empty() || is_shut_down)) cause = CauseOfFailure(stage.failure);
  if (!cause.text.empty()) finding.title += ": " + ShortenToClause(cause.text, kCauseInTitle);
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
  finding.change = ChangeForFailure(application, cause.text);
  const std::vector<std::string> bad = BadExecutors(application, summary);
  if (failures.tasks.size() > 1 && !bad.empty() && !IsOfCluster(cause.text)) {
    finding.evidence += fmt::format("; all on executor{} {}, where no task of the stage succeeded",
                                    bad.size() == 1 ? "" : "s", fmt::join(bad, ", "));
    finding.change =
        "Check these executors and their hosts first: on others, tasks of the stage succeeded. " + finding.change;
  }
  finding.claim = ClaimTasks(input, summary, failures.time_ns, kWhole, AccountPart::kLostWork);
  finding.severity = Severity::kHigh;
  return finding;
}

}  // namespace sparkprof
