// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/findings/advice.h"
#include "analysis/findings/failures/failure_report.h"
#include "analysis/findings/memory/held_memory.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"
#include "model/driver_end.h"

namespace sparkprof {
namespace {

constexpr char kLookAtEnd[] =
    "Check the last lines of the driver's log, and on a cluster the reason for which its container ended: `kubectl "
    "describe pod`, or the resource manager's log";

// How the driver ended, for recordings without the application's end.
struct DriverEnd {
  int64_t time_ns = 0;
  int32_t executor = -1;  // row
  std::string reason;     // empty = unknown
};

// From the notice of `sparkprof run`, or from a node's monitor, which lacks the reason.
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
  std::optional<FailureReport> report = ExplainFailure(application, end->reason, end->executor);
  const int64_t lived_ns = std::max<int64_t>(0, end->time_ns - application.start_ns);
  Finding finding;
  finding.title =
      report && NamesCause(*report) ? "The driver was lost: " + ShortMeaning(*report) : std::string(kDriverEndNotice);
  finding.is_failure = true;
  finding.severity = Severity::kHigh;
  const int64_t running = RunningTasks(application.tasks);
  finding.what = fmt::format("The driver's process ended after {}, before the application did; {} {} running",
                             FormatDuration(lived_ns), Counted(running, "task"), running == 1 ? "was" : "were");
  finding.evidence = fmt::format("no application end event{}{}{}", end->reason.empty() ? "" : "; ", end->reason,
                                 HeldMemoryText(application, end->executor));
  finding.condition = "The driver's process ended, and the recording has no application end event";
  finding.change = report ? AdviceOf(*report) : kLookAtEnd;
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = "driver";
  if (report) {
    report->chain = {EventOf(application, report->failure->id, end->time_ns, end->executor)};
    finding.failure = std::make_shared<const FailureReport>(std::move(*report));
  }
  return finding;
}

}  // namespace sparkprof
