// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/spark_settings.h"
#include "base/saturate.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxNamedExecutors = 5;
constexpr double kMuchLost = 0.02;  // of the duration
constexpr size_t kReasonLength = 200;

// Regular reasons: dynamic allocation, decommissioning, the end of the application.
constexpr std::array<std::string_view, 8> kWanted = {
    "idle for",           "Executor decommission",
    "decommissioned",     "Executor killed by driver",
    "exited with code 0", "Command exited with code 0",
    "shutdown",           "exited from explicit termination request"};  // YARN

// Spark on YARN: "exited because of a YARN event (e.g., preemption) and not because of an error in the running job".
constexpr std::string_view kExitCodeZero = "because of a YARN event";
constexpr std::string_view kExitCodeZeroOfPod = "exited with exit code 0(success)";

struct ExecutorLoss {
  std::string_view sign;  // in Spark's reason
  const char* cause;
  const char* change;
};
constexpr char kMoreMemory[] =
    "Increase spark.executor.memoryOverhead (or spark.executor.pyspark.memory for Python), or use fewer cores per "
    "executor or smaller partitions";
constexpr char kKeepWork[] =
    "Enable decommissioning (spark.decommission.enabled, spark.storage.decommission.enabled), so that executors hand "
    "over their data, or use machines that are not preempted";
constexpr char kCheckNode[] =
    "Check its node for a lack of memory or disk (spark.local.dir), and let executors request what they use";
constexpr char kEndedByItself[] = "its process ended by itself (exit code 0)";
constexpr char kFindExit[] =
    "Check whether a task or a library calls System.exit, and the last lines of the executor's log";
constexpr char kNodeLost[] = "Check why the node was lost: `kubectl describe node` and its machine's log";
// The first that fits counts. Those of Kubernetes come from the plugin: see PodDisruptions.java, and
// https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions
constexpr ExecutorLoss kLosses[] = {
    {"PreemptionByScheduler", "its pod was preempted by one with a higher priority", kKeepWork},
    {"EvictionByEvictionAPI", "its pod was evicted, as when a node is drained", kKeepWork},
    {"TerminationByKubelet", "its node ended its pod", kCheckNode},
    {"DeletionByTaintManager", "its node was lost, or keeps pods off", kNodeLost},
    {"DeletionByPodGC", "its node is gone", kNodeLost},
    {"Command exited with code 137", "its process was killed (SIGKILL)",
     "Find out who killed it: the kernel's log names the victims of its out-of-memory killer. If it was memory, give "
     "the worker's host fewer or smaller executors"},
    {"OOMKilled", "its container was killed for its memory", kMoreMemory},
    {"Evicted", "its pod was evicted", kCheckNode},
    {" 137", "its container was killed, usually for its memory", kMoreMemory},
    {"OOM", "its container was killed for its memory", kMoreMemory},
    {"memory limits", "its container was killed for its memory", kMoreMemory},
    {"memory used", "its container was killed for its memory", kMoreMemory},
    {"status 52", "its Java heap was full",
     "Increase spark.executor.memory, or use more partitions or fewer cores per executor"},
    {kExitCodeZero, kEndedByItself, kFindExit},
    {kExitCodeZeroOfPod, kEndedByItself, kFindExit},
    {"reempt", "its container was preempted", kKeepWork},
    {" spot ", "its machine was reclaimed", kKeepWork},
    {" 143", "its container was stopped", kKeepWork},
    {"eartbeat", "it sent no heartbeat",
     "Check its garbage collection and its host's load. Increase spark.network.timeout if long pauses are expected"},
    {" disk", "its disk failed or is full", "Check the disks of its host (spark.local.dir)"},
    {"*lost* node", "its host was lost", "Check the resource manager's log for the host"},
    {"orker lost", "its worker was lost", "Check the log of the standalone worker on its host"},
};
constexpr ExecutorLoss kUnknownLoss = {"", "",
                                       "Check the last lines of the executor's log and the resource manager's log. On "
                                       "spot or preemptible machines, enable "
                                       "decommissioning (spark.decommission.enabled)"};
// Spark decommissions executors from 3.1 on.
constexpr char kKeepWorkBefore[] =
    "Use machines that are not preempted, or the external shuffle service (spark.shuffle.service.enabled), which keeps "
    "the shuffle data of executors";
constexpr char kLookBefore[] = "Check the last lines of the executor's log and the resource manager's log";

const ExecutorLoss& LossOf(std::string_view reason) {
  for (const ExecutorLoss& loss : kLosses) {
    if (reason.find(loss.sign) != std::string_view::npos) return loss;
  }
  return kUnknownLoss;
}

const char* ChangeForLoss(const Application& application, const ExecutorLoss& loss) {
  if (IsSparkAtLeast(application, 3, 1)) return loss.change;
  return loss.change == kUnknownLoss.change ? kLookBefore : loss.change == kKeepWork ? kKeepWorkBefore : loss.change;
}

// Spark's first line and, on Kubernetes, the reasons of the pod, its container and its disruption, which follow on
// lines of their own.
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

// The time of the tasks that were lost with these executors.
int64_t LostTime(const Tasks& tasks, const std::set<int32_t>& executors) {
  int64_t lost_ns = 0;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (tasks.outcome[row] == TaskOutcome::kFailed && executors.contains(tasks.executor[row]))
      AddSaturated(std::max<int64_t>(0, tasks.finish_ns[row] - tasks.launch_ns[row]), &lost_ns);
  }
  return lost_ns;
}

// Core time between the removal of executors and the start of those that replace them. Without a replacement it ends
// with the application, unless executors come and go as needed.
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

bool AnyJobFailed(const Application& application) {
  return std::any_of(application.jobs.begin(), application.jobs.end(),
                     [](const Job& job) { return job.status == RunStatus::kFailed; });
}

bool IsWanted(std::string_view reason) {
  return std::any_of(kWanted.begin(), kWanted.end(),
                     [&](std::string_view part) { return reason.find(part) != std::string_view::npos; });
}

// An executor that was decommissioned, or that dynamic allocation ends, has exit code 0 and no task.
bool IsInOrder(const Tasks& tasks, int32_t row, std::string_view reason) {
  const bool ended_by_itself =
      reason.find(kExitCodeZero) != std::string_view::npos || reason.find(kExitCodeZeroOfPod) != std::string_view::npos;
  return IsWanted(reason) || (ended_by_itself && LostTime(tasks, {row}) == 0);
}

}  // namespace

std::optional<Finding> FindLostExecutors(const FindingInput& input) {
  const Application& application = input.application;
  std::vector<std::string> lost;
  std::set<int32_t> rows;
  int64_t resubmitted = 0;
  std::string reason;
  for (size_t row = 0; row < application.executors.size(); ++row) {
    const Executor& executor = application.executors[row];
    if (executor.remove_ns == 0 || executor.remove_reason.empty()) continue;
    if (IsInOrder(application.tasks, static_cast<int32_t>(row), executor.remove_reason)) continue;
    // The application removes its executors at its end.
    if (application.ended && executor.remove_ns >= application.end_ns) continue;
    lost.push_back(executor.id);
    rows.insert(static_cast<int32_t>(row));
    if (reason.empty()) reason = ShortReason(executor.remove_reason);
  }
  if (lost.empty()) return std::nullopt;
  for (const Stage& stage : application.stages) resubmitted += stage.resubmitted_tasks;
  const size_t count = lost.size();
  const ExecutorLoss& loss = LossOf(reason);
  const int64_t lost_ns = LostTime(application.tasks, rows);
  Finding finding;
  finding.title =
      count == 1 ? fmt::format("Executor {} was lost", lost.front()) : fmt::format("{} executors were lost", count);
  if (*loss.cause != '\0') finding.title += fmt::format(": {}", loss.cause);
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
  finding.change = ChangeForLoss(application, loss);
  const int64_t missing_ns = MissingCoreTime(application, rows);
  if (missing_ns > 0) {
    finding.evidence += fmt::format("; {} of core time until executors replaced them or the application ended",
                                    FormatDuration(missing_ns));
  }
  // Cores are missed as far as the application uses those that it has.
  const MetricColumn& durations = application.tasks.Column(TaskMetric::kDuration);
  int64_t task_ns = 0;
  for (const int64_t duration_ns : durations) AddSaturated(std::max<int64_t>(0, duration_ns), &task_ns);
  const double used = std::min(1.0, Share(task_ns / std::max<int64_t>(1, input.cores), input.duration_ns));
  int64_t cost_ns = lost_ns;
  AddSaturated(static_cast<int64_t>(static_cast<double>(missing_ns) * used), &cost_ns);
  const int64_t wall_ns = std::min(input.duration_ns, cost_ns / std::max<int64_t>(1, input.cores));
  finding.claim = ClaimWall(wall_ns, kMost);
  finding.severity = Severity::kHigh;
  // A process that died in the middle of its tasks is what to look at first, unless it cost next to nothing.
  const bool died = *loss.cause != '\0' && lost_ns >= kWorthwhileNs;
  finding.is_failure |= died && Share(wall_ns, input.duration_ns) >= kMuchLost;
  return finding;
}

}  // namespace sparkprof
