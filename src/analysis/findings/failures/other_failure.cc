// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/failures/failure_cause.h"
#include "analysis/findings/failures/failure_report.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/known_parts.h"
#include "base/text/text.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

constexpr size_t kFailureLineLength = 200;
constexpr size_t kExceptionInTitle = 100;
const std::string kInLog = "A failure in ";

struct FoundFailure {
  FailureReport report;
  std::string subject;  // "Query orders failed", "Job 3 failed", "A failure in driver.log:12", "A problem in …"
  std::string line;     // the line by which the failure was recognized
  std::string cause;    // the exception itself, if no row explains it: "com.example.BadRow: x"; may be empty
  std::string code;     // the line of the user's code that failed; may be empty
  std::string origin;   // the method that raised an exception without a row, "com.example.Codec.read"; may be empty
};

// True if one of the last records has an exception that ended the program, or a log without an end ends in an error.
bool EndsInException(const Application& application) {
  constexpr size_t kLast = 50;
  const LogRecords& logs = application.logs;
  if (logs.Size() == 0) return false;
  const bool is_error =
      logs.level.back() >= LogLevel::kError && logs.Text(logs.Size() - 1).find("\n\tat ") != std::string_view::npos;
  if (is_error && !application.ended) return true;
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

// True if the input shows that a job failed, or shows no successful work. A warning in the log of a successful job is
// not its failure.
bool MayHaveFailed(const Application& application) {
  const std::vector<Job>& jobs = application.jobs;
  const auto failed = [&](const Job& job) {
    return job.status == RunStatus::kFailed && !NamesCancellation(application, job.failure);
  };
  if (std::any_of(jobs.begin(), jobs.end(), failed)) return true;
  const auto succeeded = [](const Job& job) { return job.status == RunStatus::kSucceeded; };
  const auto& outcomes = application.tasks.outcome;
  const bool has_success = std::any_of(jobs.begin(), jobs.end(), succeeded) ||
                           std::find(outcomes.begin(), outcomes.end(), TaskOutcome::kSucceeded) != outcomes.end();
  return !has_success || EndsInException(application);
}

// True if the text begins with the name of an exception: "com.example.BadRow: x", "ValueError: x".
bool BeginsWithException(std::string_view cause) {
  const std::string_view name = cause.substr(0, cause.find(':'));
  const bool is_class =
      name.find('.') != std::string_view::npos || name.ends_with("Error") || name.ends_with("Exception");
  return is_class && name.find(' ') == std::string_view::npos;
}

// The method that raised the first cause of a JVM's trace, without those of Java and Scala. Empty if there is none.
std::string OriginOfException(std::string_view text) {
  constexpr std::string_view kFrame = "\n\tat ", kCause = "\nCaused by: ";
  if (const size_t cause = text.rfind(kCause); cause != std::string_view::npos) text.remove_prefix(cause + 1);
  for (size_t at = text.find(kFrame); at != std::string_view::npos; at = text.find(kFrame)) {
    text.remove_prefix(at + kFrame.size());
    std::string_view method = text.substr(0, text.find_first_of("(\n"));
    method.remove_prefix(method.rfind('/') + 1);  // "java.base/java.lang.Thread.run"
    if (OriginOf(method, {}, FrameKind::kJit) != FrameOrigin::kJdk) return std::string(method);
  }
  return {};
}

// The exception inside a wrapper, or one whose row only names its kind: its message is closer to the cause. Empty if
// there is none.
std::string CarriedException(const Application& application, const FailureReport& report, std::string_view text) {
  constexpr std::string_view kCarried = "most recent failure: ";
  if (NamesCause(report)) return {};
  if (const size_t at = text.find(kCarried); at != std::string_view::npos) text.remove_prefix(at + kCarried.size());
  std::string cause = CauseOfFailure(text).text;
  if (!BeginsWithException(cause)) return {};
  const std::optional<FailureReport> of_cause = ExplainFailure(application, cause, -1);
  const bool is_named = !of_cause || of_cause->failure->names_kind;
  return is_named ? cause : std::string();
}

// True for "ValueError: …".
bool IsException(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(": "));
  return name.size() < text.size() && BeginsWithException(name) &&
         (name.ends_with("Error") || name.ends_with("Exception"));
}

// Explains an error whose exception has no row. nullopt for other texts and for harmless errors.
std::optional<FoundFailure> UnknownException(const Application& application, std::string_view text,
                                             const std::string& place, int64_t time_ns, int32_t executor,
                                             bool is_alone = false) {
  constexpr std::string_view kUnknown = "reason: UNKNOWN_EXCEPTION";
  // Questions quote an exception alone, and notebooks print it after the lines of its traceback.
  const bool is_quoted = is_alone && IsException(text);
  if (text.find("\n\tat ") == std::string_view::npos && text.find("Traceback (") == std::string_view::npos &&
      !is_quoted)
    return std::nullopt;
  if (FindFailure(text)) return std::nullopt;
  FailureCause cause = CauseOfFailure(text);
  if (!BeginsWithException(cause.text)) return std::nullopt;
  std::optional<FailureReport> report = ExplainFailure(application, kUnknown, executor);
  report->chain = {EventOf(application, report->failure->id, time_ns, executor)};
  AddTaskIn(text, &report->chain.front());
  report->chain.front().text = cause.text;
  return FoundFailure{std::move(*report),    "An error in " + place, {},
                      std::move(cause.text), std::move(cause.line),  OriginOfException(text)};
}

// True for an application that waits for resources: another failure after it ended the wait.
bool IsWait(const Failure& failure) {
  constexpr std::string_view kWaits[] = {"yarn-queue-waits", "yarn-waits-accepted", "yarn-am-starts", "no-resources"};
  return std::find(std::begin(kWaits), std::end(kWaits), failure.id) != std::end(kWaits);
}

// The exception for a title. If it is long, only the name of its class is kept, so that its message fits.
std::string TitleOf(const std::string& cause) {
  const size_t colon = cause.find(": ");
  const bool is_long = cause.size() > kExceptionInTitle && colon != std::string::npos;
  const size_t package = is_long ? cause.rfind('.', colon) : std::string::npos;
  return ShortenToClause(package == std::string::npos ? cause : cause.substr(package + 1), kExceptionInTitle);
}

// Keeps the text with the failure of the highest rank; of several, the first with an exception, otherwise the first.
void Consider(const Application& application, std::string_view text, const std::string& subject, int64_t time_ns,
              int32_t executor, std::optional<FoundFailure>* best) {
  std::optional<FailureReport> report = ExplainFailure(application, text, executor);
  if (!report) return;
  const bool ends_wait = *best && IsWait(*(*best)->report.failure) && !IsWait(*report->failure);
  // Spark logs the cause for stopping a Python worker after the end of the worker.
  const bool is_prior = *best && (*best)->report.failure->id == "python-worker-crashed" &&
                        report->failure->id != "python-worker-crashed" &&
                        text.find("caused by a prior exception") != std::string_view::npos;
  const bool replaces = ends_wait || is_prior;
  if (*best && !replaces && report->failure->rank < (*best)->report.failure->rank) return;
  std::string cause = CarriedException(application, *report, text);
  const bool is_better = !cause.empty() && best->has_value() && (*best)->cause.empty();
  if (*best && !replaces && report->failure->rank == (*best)->report.failure->rank && !is_better) return;
  report->chain = {EventOf(application, report->failure->id, time_ns, executor)};
  AddTaskIn(text, &report->chain.front());
  const std::string line = ExcerptAt(text, report->offset, kFailureLineLength);
  std::string origin = cause.empty() ? std::string() : OriginOfException(text);
  *best =
      FoundFailure{std::move(*report), subject, line, std::move(cause), CauseOfFailure(text).line, std::move(origin)};
}

// True if the application waited for YARN, and a record says that it runs or has ended since.
bool HasStarted(const LogRecords& logs) {
  for (size_t row = 0; row < logs.Size(); ++row) {
    for (const std::string_view state : {"(state: RUNNING)", "(state: FINISHED)"}) {
      if (logs.Text(row).find(state) != std::string_view::npos) return true;
    }
  }
  return false;
}

// A decisive failure that only warnings name, such as those of a client that tries again while its tasks run.
std::optional<FoundFailure> FindDecisiveWarning(const Application& application) {
  const LogRecords& logs = application.logs;
  std::optional<FoundFailure> best;
  for (size_t row = 0; row < logs.Size() && !best; ++row) {
    if (logs.level[row] != LogLevel::kWarn) continue;
    const std::optional<FailureMatch> match = FindFailure(logs.Text(row));
    if (!match || match->failure->rank != FailureRank::kDecisive) continue;
    const std::string place = fmt::format("{}:{}", logs.sources[logs.source[row]], logs.line[row]);
    Consider(application, logs.Text(row), kInLog + place, logs.time_ns[row], logs.executor[row], &best);
  }
  return best;
}

std::optional<FoundFailure> FindFailureText(const Application& application) {
  std::optional<FoundFailure> best;
  for (const StreamingQuery& query : application.streaming_queries) {
    const std::string& name = query.name.empty() ? query.id : query.name;
    Consider(application, query.failure, fmt::format("Streaming query {} failed", name), query.end_ns, -1, &best);
  }
  for (const ApplicationNotice& each : application.notices) {
    const size_t at = each.notice.text.find(kProgramEnded);
    if (at == std::string::npos) continue;
    const std::string_view text = std::string_view(each.notice.text).substr(at + kProgramEnded.size());
    Consider(application, text, "The driver's program failed", each.notice.time_ns, each.executor, &best);
    if (!best) best = UnknownException(application, text, "the driver's program", each.notice.time_ns, each.executor);
  }
  if (!MayHaveFailed(application)) return best;
  for (const Job& job : application.jobs)
    Consider(application, job.failure, fmt::format("Job {} failed", job.id), job.end_ns, -1, &best);
  const LogRecords& logs = application.logs;
  // Without tasks, everything in the log may explain why nothing runs; YARN's client logs at level INFO.
  const bool has_tasks = application.tasks.Size() > 0;
  std::optional<FoundFailure> unknown;  // the first unknown one
  for (size_t row = 0; row < logs.Size(); ++row) {
    // "INFO DAGScheduler: Job 0 failed" has a stack trace, too.
    const bool has_trace = logs.Text(row).find("\n\tat ") != std::string_view::npos;
    // YARN's client logs an application's diagnostics in the lines of a record of level INFO.
    const bool has_lines = logs.Text(row).find('\n') != std::string_view::npos;
    const bool is_error = logs.level[row] == LogLevel::kNone || logs.level[row] >= LogLevel::kError;
    const bool is_searched = !has_tasks && (!application.ended || has_lines);
    if (!is_searched && !has_trace && !is_error) continue;
    const std::string place = fmt::format("{}:{}", logs.sources[logs.source[row]], logs.line[row]);
    Consider(application, logs.Text(row), kInLog + place, logs.time_ns[row], logs.executor[row], &best);
    if (!best && !unknown && is_error)
      unknown = UnknownException(application, logs.Text(row), place, logs.time_ns[row], logs.executor[row],
                                 logs.level[row] == LogLevel::kNone);
  }
  const bool waits_for_yarn = best && IsWait(*best->report.failure) && best->report.failure->id.starts_with("yarn-");
  if (waits_for_yarn && HasStarted(logs)) best.reset();
  if (!best) best = std::move(unknown);
  if (!best && has_tasks) best = FindDecisiveWarning(application);
  // An application that waits for resources has not failed.
  const bool may_wait = best && best->report.failure->holds == "cluster" && NamesCause(best->report);
  if (may_wait && best->subject.starts_with(kInLog)) best->subject.replace(0, kInLog.size(), "A problem in ");
  return best;
}

// True for texts of warnings. A hole named "slow" is a time in ms, which is worth a warning from one minute.
bool IsWarning(std::string_view text, const std::vector<std::string_view>& around) {
  constexpr int64_t kSlowMs = 60'000;
  const std::optional<FailureMatch> match = FindFailure(text, ClusterManager::kUnknown, around);
  if (!match || match->failure->rank != FailureRank::kWarning) return false;
  const std::optional<std::string_view> slow = match->values.Find("slow");
  return !slow || ParseInteger(*slow).value_or(0) >= kSlowMs;
}

// The most frequent warning. It is not a failure, but explains lost time or data; an event log shows its cost better.
// Searches short logs completely, long ones from level WARN.
std::optional<Finding> FindLoggedWarning(const Application& application) {
  constexpr size_t kShort = 5'000, kMaxRecords = 20'000;
  if (!HasOnlyLogs(application)) return std::nullopt;
  const LogRecords& logs = application.logs;
  struct Seen {
    FailureReport report;
    size_t last = 0;  // row
    int64_t times = 0;
  };
  std::vector<Seen> all;
  const std::vector<std::string_view> around = TextsAround(application);
  for (size_t row = 0, searched = 0; row < logs.Size() && searched < kMaxRecords; ++row) {
    const bool is_low = logs.level[row] != LogLevel::kNone && logs.level[row] < LogLevel::kWarn;
    if (is_low && logs.Size() > kShort) continue;
    ++searched;
    if (!IsWarning(logs.Text(row), around)) continue;
    std::optional<FailureReport> one =
        ExplainFailure(application, logs.Text(row), logs.executor[row], nullptr, FailureRank::kWarning);
    const auto is_set = [](const RemedyStep& step) { return step.is_set; };
    if (!one || std::any_of(one->remedy.begin(), one->remedy.end(), is_set)) continue;
    const auto seen =
        std::find_if(all.begin(), all.end(), [&](const Seen& other) { return other.report.failure == one->failure; });
    if (seen == all.end()) {
      all.push_back({std::move(*one), row, 1});
    } else {
      *seen = {std::move(*one), row, seen->times + 1};
    }
  }
  const auto most =
      std::max_element(all.begin(), all.end(), [](const Seen& a, const Seen& b) { return a.times < b.times; });
  if (most == all.end()) return std::nullopt;
  const Failure& failure = *most->report.failure;
  Finding finding;
  finding.title = ShortenToClause(MeaningOf(most->report), kExceptionInTitle);
  finding.risk = kRiskOfGrowth;
  finding.what = std::string(MeaningOf(most->report));
  finding.evidence = fmt::format("{} of the logs, the last one: {}", Counted(most->times, "message"),
                                 ExcerptAt(logs.Text(most->last), most->report.offset, kFailureLineLength));
  finding.condition = "A message in logs without an event log describes a known cause of lost time or data";
  finding.change = AdviceOf(most->report);
  most->report.chain = {EventOf(application, failure.id, logs.time_ns[most->last], logs.executor[most->last])};
  finding.failure = std::make_shared<const FailureReport>(std::move(most->report));
  return finding;
}

// A task of an executor's log that started and logged nothing more, followed by a long time without any line. The
// missing end alone is weak evidence, because logs may be cut.
std::optional<Finding> FindSilentTask(const Application& application) {
  constexpr int64_t kLongNs = 600'000'000'000;
  const LogRecords& logs = application.logs;
  const Tasks& tasks = application.tasks;
  if (!HasOnlyLogs(application) || PartsKnownOf(application).jobs) return std::nullopt;
  for (size_t row = 1; row < logs.Size(); ++row) {
    const int64_t since_ns = logs.time_ns[row - 1];
    if (since_ns == 0 || logs.source[row] != logs.source[row - 1] || logs.time_ns[row] - since_ns < kLongNs) continue;
    for (size_t task = 0; task < tasks.Size(); ++task) {
      const bool is_open = tasks.outcome[task] == TaskOutcome::kRunning && tasks.launch_ns[task] > 0 &&
                           tasks.launch_ns[task] <= since_ns;
      // Thread names of tasks contain the TID.
      if (!is_open || logs.Text(row - 1).find(fmt::format("task {} ", tasks.id[task])) == std::string_view::npos)
        continue;
      Finding finding;
      finding.title = fmt::format("Task {} wrote nothing for {} after its last message", tasks.id[task],
                                  FormatDuration(logs.time_ns[row] - since_ns));
      finding.what = "The task seems to wait for what its last message began; the log does not show its end";
      finding.evidence =
          fmt::format("its last message: {}", ShortenToClause(ToOneLine(logs.Text(row - 1)), kFailureLineLength));
      finding.condition =
          "A line of a task that has no end is followed by 10 minutes without a line in an executor's log";
      finding.change =
          "Take thread dumps of the executor while it lasts (jstack PID, or the page Executors of the UI) to see what "
          "the task waits for. Set a timeout for the service or library that the message names, and update it";
      finding.severity = Severity::kLow;
      finding.risk = kRiskOfGrowth;
      return finding;
    }
  }
  return std::nullopt;
}

// Repeated denials of executors by the cluster while the work continues with fewer executors.
std::optional<Finding> FindRefusedExecutors(const Application& application) {
  constexpr std::string_view kRefusals[] = {"k8s-quota", "k8s-unschedulable", "k8s-image-pull", "emr-capacity",
                                            "cloud-capacity"};
  constexpr int64_t kOften = 3, kMaxRecords = 2'000;
  const LogRecords& logs = application.logs;
  std::optional<FailureReport> report;
  std::string line;
  int64_t times = 0, searched = 0;
  for (size_t row = 0; row < logs.Size() && searched < kMaxRecords; ++row) {
    if (logs.level[row] < LogLevel::kWarn) continue;
    ++searched;
    std::optional<FailureReport> one = ExplainFailure(application, logs.Text(row), -1);
    const bool is_refusal =
        one && std::find(std::begin(kRefusals), std::end(kRefusals), one->failure->id) != std::end(kRefusals);
    if (!is_refusal || (report && report->failure != one->failure)) continue;
    ++times;
    line = ExcerptAt(logs.Text(row), one->offset, kFailureLineLength);
    one->chain = {EventOf(application, one->failure->id, logs.time_ns[row], -1)};
    report = std::move(one);
  }
  if (times < kOften) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Executors were refused {} times: {}", CountText(times), ShortMeaning(*report));
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
  if (!found) {
    for (const auto find : {FindRefusedExecutors, FindLoggedWarning, FindSilentTask}) {
      if (std::optional<Finding> other = find(input.application)) return other;
    }
    return std::nullopt;
  }
  Finding finding;
  finding.title =
      fmt::format("{}: {}", found->subject,
                  found->cause.empty() ? ShortMeaning(found->report, kWholeTitleLength) : TitleOf(found->cause));
  finding.is_failure = true;
  finding.severity = Severity::kHigh;
  finding.what = std::string(MeaningOf(found->report));
  if (!NamesCause(found->report) && found->cause.empty()) finding.what += "; this input does not have the cause itself";
  if (!found->origin.empty() && !found->code.starts_with(found->origin))
    finding.what += fmt::format("; {} raised the exception", found->origin);
  finding.evidence = found->cause.empty() ? found->line : found->cause;
  if (!found->code.empty()) finding.frames.push_back(found->code);
  finding.condition =
      "The text of a failed job or streaming query, or of an error in a log of an application without success, "
      "describes a known failure";
  finding.change = AdviceOf(found->report);
  finding.failure = std::make_shared<const FailureReport>(std::move(found->report));
  return finding;
}

}  // namespace sparkprof
