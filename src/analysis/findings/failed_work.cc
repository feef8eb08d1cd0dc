// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kManyFailed = 0.1;  // of a stage's tasks; fewer count when their time does
constexpr size_t kMostNamed = 20;
constexpr size_t kReasonLength = 200;

// The first line of a reason, shortened.
std::string FirstLine(std::string_view reason) { return Shorten(reason.substr(0, reason.find('\n')), kReasonLength); }

struct Failures {
  std::vector<uint32_t> tasks;  // rows
  int64_t time_ns = 0;
  std::string reason;  // the most frequent
  size_t with_reason = 0;
};

Failures FailuresOf(const Application& application, const StageSummary& stage) {
  const Tasks& tasks = application.tasks;
  Failures failures;
  std::map<StringId, size_t> reasons;
  for (const uint32_t task : stage.tasks) {
    if (tasks.outcome[task] != TaskOutcome::kFailed) continue;
    failures.tasks.push_back(task);
    failures.time_ns += std::max<int64_t>(0, tasks.finish_ns[task] - tasks.launch_ns[task]);
    ++reasons[tasks.reason[task]];
  }
  for (const auto& [reason, count] : reasons) {
    if (count <= failures.with_reason) continue;
    failures.with_reason = count;
    failures.reason = FirstLine(application.profile.strings.Get(reason));
  }
  return failures;
}

}  // namespace

std::optional<Finding> FindFailedWork(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const Application& application = input.application;
  const Failures failures = FailuresOf(application, summary);
  const bool failed = stage.status == RunStatus::kFailed;
  if (failures.tasks.empty() && !failed) return std::nullopt;
  const double share = Share(static_cast<int64_t>(failures.tasks.size()), static_cast<int64_t>(summary.tasks.size()));
  if (!failed && share < kManyFailed && failures.time_ns < kWorthwhileNs) return std::nullopt;
  Finding finding;
  finding.title = failed ? fmt::format("Stage {} failed", stage.id)
                         : fmt::format("Stage {}: {} of task attempts failed", stage.id, FormatShare(share));
  finding.is_failure = failed;
  finding.confidence = 0.95;
  finding.what =
      fmt::format("{} of {} tasks of {} failed", failures.tasks.size(), summary.tasks.size(), StageText(stage));
  finding.evidence = fmt::format("{} of task time lost", FormatDuration(failures.time_ns));
  if (!failures.reason.empty()) {
    const std::string times = failures.with_reason == 1 ? "once" : fmt::format("{} times", failures.with_reason);
    finding.evidence += fmt::format("; {}: {}", times, failures.reason);
  } else if (failed) {
    finding.evidence += fmt::format("; {}", FirstLine(stage.failure));
  }
  finding.condition = fmt::format("A stage fails, at least {} of its tasks fail, or failed tasks cost at least {}",
                                  FormatShare(kManyFailed), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kCpu);
  for (size_t i = 0; i < std::min(failures.tasks.size(), kMostNamed); ++i) {
    finding.selection.tasks.push_back(application.tasks.id[failures.tasks[i]]);
  }
  finding.change =
      "Check the reason and the errors in the executor's log at that time. Lost executors and exit code 137 "
      "usually indicate "
      "too little memory (spark.executor.memoryOverhead); FetchFailed indicates a lost executor, or a busy disk or "
      "network";
  finding.gain_ns = WallTimeOf(input, summary, failures.time_ns);
  finding.severity =
      failed ? Severity::kHigh : std::max(Severity::kMedium, SeverityOf(finding.gain_ns, input.duration_ns));
  return finding;
}

}  // namespace sparkprof
