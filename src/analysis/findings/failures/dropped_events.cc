// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analysis/findings/advice.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/known_parts.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr double kManyMissingTasks = 0.01;  // share of tasks in successful stages

struct MissingTasks {
  int64_t tasks = 0;
  int64_t planned = 0;
  int64_t messages = 0;  // number of Spark's messages about dropped events
};

MissingTasks MissingTasksIn(const FindingInput& input) {
  MissingTasks missing;
  const Tasks& tasks = input.application.tasks;
  // Text logs lack single tasks.
  const size_t rows = HasOnlyLogs(input.application) ? 0 : input.stages.size();
  for (size_t row = 0; row < rows; ++row) {
    const Stage& stage = input.application.stages[row];
    const std::vector<uint32_t>& known = input.stages[row].tasks;
    // Compacted logs lack the tasks of ended jobs.
    if (stage.status != RunStatus::kSucceeded || known.empty()) continue;
    const auto ended = std::count_if(known.begin(), known.end(),
                                     [&](uint32_t task) { return tasks.outcome[task] != TaskOutcome::kRunning; });
    missing.planned += stage.task_count;
    missing.tasks += std::max<int64_t>(0, stage.task_count - ended);
  }
  for (const LogTemplate& message : input.application.logs.templates) {
    const std::string_view text = message.text;
    const bool is_one = text.starts_with("Dropping event from queue") ||
                        (text.starts_with("Dropped ") && text.find(" events from ") != std::string_view::npos);
    if (is_one) missing.messages += message.count;
  }
  return missing;
}

}  // namespace

std::optional<Finding> FindDroppedEvents(const FindingInput& input) {
  if (!PartsKnownOf(input.application).jobs) return std::nullopt;
  const MissingTasks missing = MissingTasksIn(input);
  const double share = Share(missing.tasks, missing.planned);
  const bool are_missing = input.application.ended && share >= kManyMissingTasks;
  if (!are_missing && missing.messages == 0) return std::nullopt;
  Finding finding;
  finding.title = are_missing ? fmt::format("The input has no events of {} of the tasks", FormatShare(share))
                              : std::string("Spark dropped events of the application");
  finding.what = missing.messages > 0 ? "The driver's queue of events was full, so that Spark dropped some"
                                      : "Spark drops events when the driver's queue is full, or a part of the log is "
                                        "missing";
  finding.what += ": totals of tasks and stages are too low";
  if (are_missing) {
    finding.evidence = fmt::format("{} of {} in stages that ended well have no end event", CountText(missing.tasks),
                                   Counted(missing.planned, "task"));
  }
  if (missing.messages > 0) {
    finding.evidence +=
        fmt::format("{}{} of Spark in the driver's log", are_missing ? "; " : "", Counted(missing.messages, "message"));
  }
  finding.condition = fmt::format(
      "At least {} of the tasks of stages that ended well have no end event, or Spark's log reports dropped events",
      FormatShare(kManyMissingTasks));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = "driver";
  finding.change = fmt::format(
      "{}ncrease spark.scheduler.listenerbus.eventqueue.capacity, give the driver more cores and memory, and use fewer "
      "and longer tasks",
      missing.messages > 0 ? "I" : "If the log is whole, i");
  return finding;
}

}  // namespace sparkprof
