// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/findings/advice.h"
#include "analysis/findings/held_memory.h"
#include "analysis/findings/rules.h"
#include "base/text.h"
#include "model/driver_end.h"

namespace sparkprof {
namespace {

struct DriverExit {
  std::string_view sign;  // in the reason
  const char* title;
  const char* change;
};
constexpr char kMoreDriverMemory[] =
    "Increase spark.driver.memoryOverhead, or let the driver's program keep less: collect() and toPandas() bring all "
    "rows to it";
constexpr char kFindCrash[] =
    "Look for hs_err_pid*.log in the driver's working directory: it names the library that crashed";
// The first that fits counts.
constexpr DriverExit kExits[] = {
    {"OOMKilled", "The driver was killed: its container exceeded its memory limit", kMoreDriverMemory},
    {"Preempt", "The driver's pod was preempted by one with a higher priority",
     "Give the driver's pod a priority class that is not preempted"},
    {"TaintManager", "The driver's node was lost, or keeps pods off",
     "Check why the node was lost: `kubectl describe node` and its machine's log"},
    {"Evict", "The driver's pod was evicted",
     "Check its node for a lack of memory or disk, and let the driver request what it uses. If the node was drained, "
     "run drivers on nodes that stay"},
    {"exit code 137", "The driver was killed (SIGKILL)",
     "Find out who killed it: the kernel's log names the victims of its out-of-memory killer, and `kubectl describe "
     "pod` or the resource manager's log the reason for which a container ended. If it was memory, increase "
     "spark.driver.memoryOverhead"},
    {"exit code 134", "The driver crashed (SIGABRT)", kFindCrash},
    {"exit code 139", "The driver crashed (SIGSEGV)", kFindCrash},
    {"exit code 52", "The driver's Java heap was full",
     "Increase spark.driver.memory, or let the program collect less data"}};
constexpr DriverExit kUnknownExit = {
    "", "The driver ended without an application end event",
    "Check the last lines of the driver's log, and on a cluster the reason for which its container ended: `kubectl "
    "describe pod`, or the resource manager's log"};

const DriverExit& ExitOf(std::string_view reason) {
  for (const DriverExit& exit : kExits) {
    if (reason.find(exit.sign) != std::string_view::npos) return exit;
  }
  return kUnknownExit;
}

// The end of a driver that did not record it.
struct DriverEnd {
  int64_t time_ns = 0;
  int32_t executor = -1;  // row
  std::string reason;     // empty if it is unknown
};

// From the notice of `sparkprof run`, or from a node's monitor, which does not know the reason.
std::optional<DriverEnd> EndOfDriver(const Application& application) {
  for (const auto& [executor, notice] : application.notices) {
    std::string_view text = notice.text;
    if (executor < 0 || !text.starts_with(kDriverEndNotice)) continue;
    text.remove_prefix(std::min(text.size(), kDriverEndNotice.size() + std::string_view(": ").size()));
    return DriverEnd{notice.time_ns, executor, std::string(text)};
  }
  for (const auto& [process, executor] : application.processes) {
    const bool is_driver = executor >= 0 && application.executors[static_cast<size_t>(executor)].id == "driver";
    if (is_driver && process.ended && process.role.starts_with("jvm"))
      return DriverEnd{process.last_seen_ns, executor, {}};
  }
  return std::nullopt;
}

int64_t RunningTasks(const Tasks& tasks) {
  return std::count(tasks.outcome.begin(), tasks.outcome.end(), TaskOutcome::kRunning);
}

}  // namespace

std::optional<Finding> FindLostDriver(const FindingInput& input) {
  const Application& application = input.application;
  if (application.ended) return std::nullopt;
  const std::optional<DriverEnd> end = EndOfDriver(application);
  if (!end) return std::nullopt;
  const DriverExit& exit = ExitOf(end->reason);
  const int64_t lived_ns = std::max<int64_t>(0, end->time_ns - application.start_ns);
  Finding finding;
  finding.title = exit.title;
  finding.is_failure = true;
  finding.severity = Severity::kHigh;
  const int64_t running = RunningTasks(application.tasks);
  finding.what = fmt::format("The driver's process ended after {}, before the application did; {} {} running",
                             FormatDuration(lived_ns), Counted(running, "task"), running == 1 ? "was" : "were");
  finding.evidence = fmt::format("no application end event{}{}{}", end->reason.empty() ? "" : "; ", end->reason,
                                 HeldMemoryText(application, end->executor));
  finding.condition = "The driver's process ended, and the recording has no application end event";
  finding.change = exit.change;
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = "driver";
  return finding;
}

}  // namespace sparkprof
