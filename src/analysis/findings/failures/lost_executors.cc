// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/failures/failure_report.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/spark_settings.h"
#include "base/saturate.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxNamedExecutors = 5;
constexpr double kMuchLost = 0.02;  // share of the duration
constexpr size_t kReasonLength = 200;

// Logged when an executor ends before its blocks are moved.
constexpr std::string_view kLateBlocks = "failed to decommission in time, killing";

constexpr char kLookBefore[] = "Check the last lines of the executor's log and the resource manager's log";
constexpr char kLookOrDecommission[] =
    "Check the last lines of the executor's log and the resource manager's log. On spot or preemptible machines, "
    "enable "
    "decommissioning (spark.decommission.enabled)";

// Spark's first line and, on Kubernetes, the reasons of the pod, its container and its disruption on the following
// lines.
std::string ShortReason(std::string_view reason) {
  reason = Trim(reason);
  std::string text(reason.substr(0, reason.find('\n')));
  for (const std::string_view label : {"brief reason: ", "termination reason: ", "disruption: "}) {
    const size_t at = reason.find(label);
    if (at == std::string_view::npos) continue;
    const std::string_view value = reason.substr(at + label.size());
    if (!value.starts_with("N/A")) text += fmt::format(" ({})", Trim(value.substr(0, value.find('\n'))));
  }
  return text;
}

int64_t LostTime(const Tasks& tasks, const std::set<int32_t>& executors) {
  int64_t lost_ns = 0;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (tasks.outcome[row] == TaskOutcome::kFailed && executors.contains(tasks.executor[row]))
      AddSaturated(std::max<int64_t>(0, tasks.finish_ns[row] - tasks.launch_ns[row]), &lost_ns);
  }
  return lost_ns;
}

// Core time between the removal of executors and the start of their replacements. Without replacements it ends with the
// application, unless dynamic allocation is used.
int64_t MissingCoreTime(const Application& application, const std::set<int32_t>& lost) {
  std::vector<int64_t> starts;
  for (const Executor& executor : application.executors) starts.push_back(executor.add_ns);
  std::sort(starts.begin(), starts.end());
  const bool come_and_go = SettingOf(application, "spark.dynamicAllocation.enabled") == "true";
  int64_t missing_ns = 0;
  for (const int32_t row : lost) {
    const Executor& executor = application.executors[static_cast<size_t>(row)];
    const auto replacement = std::lower_bound(starts.begin(), starts.end(), executor.remove_ns);
    int64_t until_ns = come_and_go ? executor.remove_ns : application.end_ns;
    if (replacement != starts.end()) {
      until_ns = *replacement;
      starts.erase(replacement);
    }
    AddSaturated(std::max<int64_t>(0, until_ns - executor.remove_ns) * std::max<int64_t>(1, executor.cores),
                 &missing_ns);
  }
  return missing_ns;
}

// The end of the last job, or that of the application if it has no jobs, or one without an end.
int64_t EndOfWork(const Application& application) {
  int64_t end_ns = 0;
  for (const Job& job : application.jobs) {
    if (job.end_ns <= 0) return application.end_ns;
    end_ns = std::max(end_ns, job.end_ns);
  }
  return end_ns > 0 ? end_ns : application.end_ns;
}

bool AnyJobFailed(const Application& application) {
  return std::any_of(application.jobs.begin(), application.jobs.end(),
                     [](const Job& job) { return job.status == RunStatus::kFailed; });
}

// Executors whose shuffle blocks could not be fetched.
std::set<std::string_view> ExecutorsWithoutBlocks(const Application& application) {
  constexpr std::string_view kFailed = "FetchFailed(BlockManagerId(";
  std::set<std::string_view> ids;
  std::set<StringId> seen;
  for (const StringId reason : application.tasks.reason) {
    if (reason == 0 || !seen.insert(reason).second) continue;
    const std::string_view text = application.profile.strings.Get(reason);
    const size_t at = text.find(kFailed);
    if (at == std::string_view::npos) continue;
    const std::string_view id = text.substr(at + kFailed.size());
    ids.insert(id.substr(0, id.find(',')));
  }
  return ids;
}

// True if the machine was reclaimed with notice, or the pod was deleted.
bool IsTakenAway(std::string_view reason) {
  return reason.find("ecommission") != std::string_view::npos ||
         reason.find("was deleted by a user or the framework") != std::string_view::npos;
}

// True if dynamic allocation or decommissioning ended the executor, or it ended itself with exit code 0 and without a
// task.
bool IsInOrder(const Application& application, int32_t row, std::string_view reason) {
  // The reason may name a reclaimed spot instance, which is an orderly end.
  if (reason.starts_with("Executor decommission")) return true;
  const std::optional<FailureMatch> match = FindFailure(reason, ManagerOfMaster(application.master));
  if (!match) return false;
  const bool ended_by_itself = match->failure->id == "exit-0" && LostTime(application.tasks, {row}) == 0;
  return ended_by_itself || match->failure->rank == FailureRank::kHarmless;
}

// Adds the loss and the first task that failed by it.
void AddChain(const Application& application, int32_t row, FailureReport* report) {
  const Executor& executor = application.executors[static_cast<size_t>(row)];
  const Tasks& tasks = application.tasks;
  report->chain.push_back(EventOf(application, report->failure->id, executor.remove_ns, row));
  for (size_t task = 0; task < tasks.Size(); ++task) {
    if (tasks.outcome[task] != TaskOutcome::kFailed || tasks.executor[task] != row) continue;
    report->chain.push_back(EventOf(application, "executor-lost", tasks.finish_ns[task], row, tasks.id[task]));
    break;
  }
}

// True if the same failure removed all these executors.
bool HaveOneCause(const Application& application, const std::set<int32_t>& rows, const Failure& failure) {
  return std::all_of(rows.begin(), rows.end(), [&](int32_t row) {
    const std::string& reason = application.executors[static_cast<size_t>(row)].remove_reason;
    const std::optional<FailureMatch> match = FindFailure(reason, ManagerOfMaster(application.master));
    return match && match->failure == &failure;
  });
}

// The common host of several executors if the application has executors on other hosts, too; otherwise empty.
std::string OnlyHostOf(const Application& application, const std::set<int32_t>& rows) {
  const auto host_of = [&](int32_t row) { return application.executors[static_cast<size_t>(row)].host; };
  const std::string host = rows.size() < 2 ? std::string() : host_of(*rows.begin());
  const bool is_only = std::all_of(rows.begin(), rows.end(), [&](int32_t row) { return host_of(row) == host; });
  const bool has_others =
      std::any_of(application.executors.begin(), application.executors.end(), [&](const Executor& executor) {
        return executor.id != "driver" && !executor.host.empty() && executor.host != host;
      });
  return is_only && has_others ? host : std::string();
}

}  // namespace

std::optional<Finding> FindLostExecutors(const FindingInput& input) {
  const Application& application = input.application;
  std::vector<std::string> lost;
  std::set<int32_t> rows;
  int64_t resubmitted = 0;
  int32_t first = -1;  // row
  const std::set<std::string_view> without_blocks = ExecutorsWithoutBlocks(application);
  const int64_t end_of_work_ns = EndOfWork(application);
  for (size_t row = 0; row < application.executors.size(); ++row) {
    const Executor& executor = application.executors[row];
    if (executor.remove_ns == 0 || executor.remove_reason.empty()) continue;
    const bool is_late = IsTakenAway(executor.remove_reason) && without_blocks.contains(executor.id);
    if (!is_late && IsInOrder(application, static_cast<int32_t>(row), executor.remove_reason)) continue;
    // The application removes its executors at its end, after its last job.
    const bool is_at_end = executor.remove_ns > end_of_work_ns || executor.remove_ns >= application.end_ns;
    if (application.ended && is_at_end) continue;
    lost.push_back(executor.id);
    rows.insert(static_cast<int32_t>(row));
    if (first < 0) first = static_cast<int32_t>(row);
  }
  if (lost.empty()) return std::nullopt;
  for (const Stage& stage : application.stages) resubmitted += stage.resubmitted_tasks;
  const size_t count = lost.size();
  const std::string& whole_reason = application.executors[static_cast<size_t>(first)].remove_reason;
  const std::string reason = ShortReason(whole_reason);
  const bool is_late = IsInOrder(application, first, whole_reason);
  std::optional<FailureReport> report = ExplainFailure(application, is_late ? kLateBlocks : whole_reason, first);
  const bool names_cause = report && NamesCause(*report);
  const int64_t lost_ns = LostTime(application.tasks, rows);
  Finding finding;
  finding.title =
      count == 1 ? fmt::format("Executor {} was lost", lost.front()) : fmt::format("{} executors were lost", count);
  const std::string host = OnlyHostOf(application, rows);
  if (!host.empty()) finding.title += fmt::format(", all on {}", host);
  if (names_cause) {
    if (count > 1 && !HaveOneCause(application, rows, *report->failure))
      finding.title += fmt::format("; executor {}", lost.front());
    finding.title += ": " + ShortMeaning(*report);
  }
  finding.is_failure = lost_ns > 0 && AnyJobFailed(application);
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = lost.front();
  if (lost.size() > kMaxNamedExecutors) lost.resize(kMaxNamedExecutors);
  finding.what =
      fmt::format("{} {}{} {} lost while the application ran", count == 1 ? "Executor" : "Executors",
                  fmt::join(lost, ", "), count > kMaxNamedExecutors ? ", …" : "", count == 1 ? "was" : "were");
  if (lost_ns > 0 || resubmitted > 0)
    finding.what += fmt::format("; {} tasks and shuffle data had to be computed again", count == 1 ? "its" : "their");
  finding.evidence = fmt::format("First reason: {}", ShortenToClause(ToOneLine(reason), kReasonLength));
  if (lost_ns > 0) finding.evidence += fmt::format("; {} of task time lost", FormatDuration(lost_ns));
  if (resubmitted > 0) {
    finding.evidence += fmt::format("; {} finished task{} ran again because their output was lost", resubmitted,
                                    resubmitted == 1 ? "" : "s");
  }
  finding.condition =
      "An executor is removed before the application ends, and not by dynamic allocation or "
      "decommissioning";
  // Executors of one host that stop responding together are not too small if those of other hosts continue.
  if (names_cause && !host.empty() && report->failure->id == "heartbeat-timeout") {
    const std::string look =
        fmt::format("Look at {} first: its memory, disks and network, and whether it restarted", host);
    report->remedy = {{.setting = "", .value = look}};
  }
  finding.change = names_cause                         ? AdviceOf(*report)
                   : IsSparkAtLeast(application, 3, 1) ? kLookOrDecommission
                                                       : kLookBefore;
  const int64_t missing_ns = input.IsExcerpt() ? 0 : MissingCoreTime(application, rows);
  if (missing_ns > 0) {
    finding.evidence += fmt::format("; {} of core time until executors replaced them or the application ended",
                                    FormatDuration(missing_ns));
  }
  // Missing cores count only as far as the application used the existing ones.
  const MetricColumn& durations = application.tasks.Column(TaskMetric::kDuration);
  int64_t task_ns = 0;
  for (const int64_t duration_ns : durations) AddSaturated(std::max<int64_t>(0, duration_ns), &task_ns);
  const double used = std::min(1.0, Share(task_ns / std::max<int64_t>(1, input.cores), input.duration_ns));
  int64_t cost_ns = lost_ns;
  AddSaturated(static_cast<int64_t>(static_cast<double>(missing_ns) * used), &cost_ns);
  const int64_t wall_ns = std::min(input.duration_ns, cost_ns / std::max<int64_t>(1, input.cores));
  finding.claim = ClaimWall(wall_ns, kMost);
  finding.severity = Severity::kHigh;
  finding.risk = kRiskOfGrowth;
  // A process that died during its tasks comes first, unless it cost next to nothing.
  const bool died = names_cause && lost_ns >= kWorthwhileNs;
  finding.is_failure |= died && Share(wall_ns, input.duration_ns) >= kMuchLost;
  if (report && (names_cause || finding.is_failure)) {
    AddChain(application, first, &*report);
    finding.failure = std::make_shared<const FailureReport>(std::move(*report));
  }
  return finding;
}

}  // namespace sparkprof
